import there_is_no_such_module


def emitted(p, q):
    return there_is_no_such_module.law(p, q)
