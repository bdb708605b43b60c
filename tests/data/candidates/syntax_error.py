def emitted(p, q)
    return p, 1.0
