# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The derivation by hand, on one pair
#
# A large model, the *target*, would draw the next token from its law p. A small model, the *draft*, is faster and
# draws from its own law q. Speculative sampling takes a token from the draft, accepts it or not, and draws another one
# if not, in such a way that what comes out has the law p, exactly.
#
# Here you do it with a pencil, on one pair of laws over three tokens. Every answer is found twice: once by plain
# arithmetic, once by samelaw (its derivation, its table of rules, or the exact law of a program), and the two are
# asserted to be equal. Nothing is rounded, and so `==` is meant.
#
# With samelaw installed, `python proof/by_hand.py` runs it; Jupyter (with jupytext) and VS Code open it as a notebook.

# %%
from fractions import Fraction

from exact import emitted_distribution, joint, law_of, overlap, total_variation
from exact.reading import Number, read_laws, show, vector
from exact.rules import RULES, emission
from exact.source import Source
from proof.rejection import TV, D, Z, beta, e, m, off, r, rho, world_of
from proof.statement import Function

# %% [markdown]
# ## Two laws
#
# Change them if you like, in Fractions: all that follows holds for any two different laws with p(0) > 0, and every
# `assert` will say so. (Without a difference nothing is rejected, and there is nothing to redraw.)

# %%
p = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
q = [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]
tokens = range(len(p))

assert sum(p) == sum(q) == 1

# %% [markdown]
# The other route, in most cells below: the derivation that `samelaw prove` checks and `samelaw step` shows. Its lines
# are data, and a *world* gives its letters their values at this pair.

# %%
world = world_of(*read_laws(p, q))


def derived(f: Function) -> list[Number]:
    """The values of one letter of the derivation, token by token."""
    return [world.value(f("x"), {"x": x}) for x in tokens]


# %% [markdown]
# ## Before any code: would it do to accept every draft?
#
# Then q comes out, as it is. How far is that from p? Add up how far apart the two are at each token, and take half of
# it, as what is too much at one token is missing at another and would be counted twice. That is the *total variation*.

# %%
too_far = Fraction(1, 2) * sum(abs(p[x] - q[x]) for x in tokens)

assert too_far == total_variation(emission(RULES["accept-all"], p, q).dist, p) == world.value(off)
print("accepting every draft is off by:", show(too_far))

# %% [markdown]
# It would not do. What must be preserved is the law of what comes *out*; that the draft is a fair draw from q helps
# nobody. The sampler has to say no sometimes.
#
# ## Draft and flip
#
# Token x is drafted with probability q(x). Where q(x) is at most p(x), the draft proposes it too seldom, if anything:
# keep it. Where q(x) is larger, keep just so many that p(x) is left: flip a coin that says yes with probability
# p(x)/q(x).
#
# Multiply the two, draft and coin. What is left at each token is the smaller of p and q: the *overlap* m.

# %%
coin = [min(Fraction(1), p[x] / q[x]) if q[x] else Fraction(1) for x in tokens]  # q(x) = 0 is never drafted
accepted = [q[x] * coin[x] for x in tokens]

assert accepted == derived(m)
print("the coin says yes with:", vector(coin))
print("drafted and accepted:", vector(accepted))

# %% [markdown]
# ## What is missing, and what was thrown away
#
# Nothing that was accepted is too much: at no token is the accepted mass above p. But some of p is *missing*. How much
# in all? Add it up, token by token; or take the overlap away from 1.

# %%
missing = [p[x] - accepted[x] for x in tokens]

assert missing == derived(r)
assert sum(missing) == 1 - sum(overlap(p, q)) == world.value(Z)
print("missing:", vector(missing))
print("missing in all:", show(sum(missing)))

# %% [markdown]
# And how often does the coin say no? Add up what was drafted and not accepted; the derivation calls it the *excess*,
# what q has above p.

# %%
rejected = [q[x] * (1 - coin[x]) for x in tokens]

assert rejected == derived(e)
assert sum(rejected) == world.value(beta)
print("rejected:", vector(rejected))
print("rejected in all:", show(sum(rejected)))

# %% [markdown]
# The two lists differ, and their sums are the same number. That is no accident of this pair: p and q both sum to 1 and
# have the overlap in common, so that what is left of the one weighs as much as what is left of the other.
#
# **The mass that is thrown away is exactly the mass that is missing. It only lies at the wrong tokens.**

# %%
assert sum(rejected) == sum(missing)
print("rejected in all is missing in all:", show(sum(rejected)), "=", show(sum(missing)))

# %% [markdown]
# ## What must the redraw be?
#
# After a rejection a token is drawn from some law. Which one? It is not ours to choose. Say it gives token x with
# probability s(x). Rejection happens with the probability just found, and so the redraw adds rejected times s(x) to
# what was accepted. The sum has to be p(x):
#
#     accepted(x) + rejected in all * s(x) = p(x)
#
# Solve that for s(x): what is missing at x, divided by what was rejected in all. There is one answer, and it is a law,
# since both masses are the same. It has a name: the *residual*, normalised. The derivation calls it rho.

# %%
needed = [(p[x] - accepted[x]) / sum(rejected) for x in tokens]

assert needed == derived(rho)
assert sum(needed) == 1
print("the redraw must be:", vector(needed))

# %% [markdown]
# ## All paths
#
# Now the whole sampler: write down every path, multiply along it, and add up the paths that end in the same token.

# %%
kept = [(x, x, q[x] * coin[x]) for x in tokens]  # drafted, came out, with this probability
redrawn = [(x, y, q[x] * (1 - coin[x]) * needed[y]) for x in tokens for y in tokens]
paths = [path for path in kept + redrawn if path[2]]
emitted = [sum(probability for _drafted, out, probability in paths if out == x) for x in tokens]

assert emitted == list(emitted_distribution(p, q)[0])
assert emitted == p
for drafted, out, probability in paths:
    print(f"  {drafted} drafted, {out} came out: {show(probability)}")
print("what comes out:", vector(emitted))

# %% [markdown]
# ## As a program
#
# The same in code, as an engineer would write it. `law_of` does not sample: it runs the program once along every path
# of its random decisions and adds up the exact probabilities. The derivation calls this law D.


# %%
def sampler(rng: Source) -> int:
    x = int(rng.choice(len(q), p=q))
    if rng.random() < coin[x]:
        return x
    return int(rng.choice(len(p), p=needed))


law = law_of(sampler)

assert [law[x] for x in tokens] == derived(D)
print("the law of the program:", vector(law[x] for x in tokens))

# %% [markdown]
# ## How often is the draft accepted?
#
# As often as draft and coin agree: the sum of the accepted mass. Or: as often as p and q are *not* apart, 1 less their
# total variation. A better draft is accepted more often; a bad one costs time, and never the law.

# %%
alpha = sum(accepted)

assert alpha == 1 - total_variation(p, q) == 1 - world.value(TV)
assert alpha == emitted_distribution(p, q)[1]
print("accepted in all:", show(alpha))

# %% [markdown]
# ## Why not simply redraw from p?
#
# It is tempting: p is the law that is wanted, so draw from it when the draft was no good. Do the same sum with p in the
# place of the residual.

# %%
from_p = [accepted[x] + sum(rejected) * p[x] for x in tokens]

assert from_p == list(emission(RULES["redraw-from-p"], p, q).dist)
for x in tokens:
    word = "too much" if from_p[x] > p[x] else "too little" if from_p[x] < p[x] else "right"
    print(f"  token {x}: {show(from_p[x])} instead of {show(p[x])}, {word}")
print("redrawing from p gives:", vector(from_p))

# %% [markdown]
# Where does it go wrong? The redraw is only one of two sources: the accepted drafts have brought the overlap already. A
# redraw from p brings a share of *everything*, of what is there as well as of what is missing. So tokens that had
# enough get more, and those that lack mass get too little of it.

# %%
of_what_is_there = [sum(rejected) * accepted[x] for x in tokens]
of_what_is_missing = [sum(rejected) * missing[x] for x in tokens]

assert [accepted[x] + of_what_is_there[x] + of_what_is_missing[x] for x in tokens] == from_p
wrong_by = Fraction(1, 2) * sum(abs(from_p[x] - p[x]) for x in tokens)
assert wrong_by == total_variation(emission(RULES["redraw-from-p"], p, q).dist, p)
print("redrawing from p is off by:", show(wrong_by))

# %% [markdown]
# ## Looking back: was it the draft?
#
# Token 0 came out. Was it the draft, or a redraw? Bayes: of all that comes out as token 0, which share was accepted?
# The other route conditions the joint law of (drafted, came out).

# %%
was_drafted = accepted[0] / emitted[0]

pair = joint(p, q)
given_0 = pair.given(lambda drafted_out: drafted_out[1] == 0)
assert was_drafted == given_0.probability(lambda drafted_out: drafted_out[0] == drafted_out[1])
print("token 0 came out, and was the draft:", show(was_drafted))

# %% [markdown]
# And can a rejected token come back in the redraw? It is rejected only where q has more than p, and redrawn only where
# p has more than q: never both.

# %%
comes_back = sum(rejected[x] * needed[x] for x in tokens)

assert comes_back == 1 - alpha - pair.probability(lambda drafted_out: drafted_out[0] != drafted_out[1])
print("rejected and drawn again:", show(comes_back))

# %% [markdown]
# ## What to take with you
#
# - What must be preserved is the law of the token that comes out.
# - Draft and coin bring the overlap, and no token gets too much.
# - What the coin throws away weighs as much as what is missing.
# - So the redraw has one job, to put that mass where it is missing, and that leaves one law: the residual, normalised.
#   Redrawing from p would pay a second time for what the draft has brought already.
#
# This was one pair. `paper.md` has the same lines for every pair and every vocabulary, and `samelaw drill` lets you
# write the pieces yourself.
