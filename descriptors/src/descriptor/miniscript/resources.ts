/** Marks an impossible case. Adding to it has no effect, and every other value is greater. */
const NEVER = -Infinity

/** Upper bounds on the use of the stack, from the start of a script to its end. */
interface StackUse {
  /** Number of elements at the start, minus that at the end. */
  readonly taken: number
  /** Greatest number of elements at any moment, minus that at the end. */
  readonly most: number
}

/** Upper bounds on the resources of an expression. */
export interface Resources {
  /** Counted instructions, executed or not. */
  readonly instructions: number
  /** Keys that CHECKMULTISIG counts if the expression is satisfied, and if it is not. */
  readonly keys: { readonly satisfied: number; readonly not: number }
  readonly stack: { readonly satisfied: StackUse; readonly not: StackUse }
}

const IMPOSSIBLE: StackUse = { taken: NEVER, most: NEVER }

const use = (taken: number, most: number): StackUse => ({ taken, most })

const NOTHING = use(0, 0)
const PUSH = use(-1, 0)
const TAKE_ONE = use(1, 1)
const TAKE_TWO = use(2, 2)

const either = (a: StackUse, b: StackUse): StackUse => use(Math.max(a.taken, b.taken), Math.max(a.most, b.most))

/** Combines the use of scripts that run one after another. */
const row = (...uses: ReadonlyArray<StackUse>): StackUse => {
  let [taken, most] = [0, 0]
  for (const each of uses) {
    if (each.taken === NEVER) return IMPOSSIBLE
    most = Math.max(each.most, each.taken + most)
    taken += each.taken
  }
  return use(taken, most)
}

const resources = (
  instructions: number,
  [satisfied, not]: readonly [number, number],
  [stackSatisfied, stackNot]: readonly [StackUse, StackUse]
): Resources => ({ instructions, keys: { satisfied, not }, stack: { satisfied: stackSatisfied, not: stackNot } })

/** Inputs of the rule for one form. */
interface Parts {
  readonly x: Resources
  readonly y: Resources
  readonly z: Resources
  /** True if the first part needs a separate VERIFY. */
  readonly needsVerify: boolean
}

/** Returns the keys and stack of a part, satisfied and not. */
const of = ({ keys, stack }: Resources) => ({ k: keys.satisfied, l: keys.not, s: stack.satisfied, t: stack.not })

const count = (...parts: ReadonlyArray<Resources>): number =>
  parts.reduce((sum, { instructions }) => sum + instructions, 0)

const wrapped = (more: number, x: Resources): Resources => ({ ...x, instructions: x.instructions + more })

const guarded = (more: number, before: ReadonlyArray<StackUse>, x: Resources): Resources =>
  resources(more + x.instructions, [x.keys.satisfied, 0], [row(...before, x.stack.satisfied), row(...before)])

const NO_ELEMENT_BEFORE: ReadonlyArray<StackUse> = [PUSH, NOTHING, TAKE_ONE]

const RULES: Readonly<Record<string, (parts: Parts) => Resources>> = {
  a: ({ x }) => wrapped(2, x),
  s: ({ x }) => wrapped(1, x),
  n: ({ x }) => wrapped(1, x),
  c: ({ x }) =>
    resources(1 + x.instructions, [x.keys.satisfied, x.keys.not], [
      row(x.stack.satisfied, TAKE_ONE),
      row(x.stack.not, TAKE_ONE)
    ]),
  d: ({ x }) => guarded(3, [PUSH, TAKE_ONE], x),
  j: ({ x }) => guarded(4, NO_ELEMENT_BEFORE, x),
  v: ({ needsVerify, x }) =>
    resources(x.instructions + (needsVerify ? 1 : 0), [x.keys.satisfied, NEVER], [
      row(x.stack.satisfied, TAKE_ONE),
      IMPOSSIBLE
    ]),
  and_v: ({ x, y }) => {
    const [a, b] = [of(x), of(y)]
    return resources(count(x, y), [a.k + b.k, NEVER], [row(a.s, b.s), IMPOSSIBLE])
  },
  and_b: ({ x, y }) => {
    const [a, b] = [of(x), of(y)]
    return resources(1 + count(x, y), [a.k + b.k, a.l + b.l], [row(a.s, b.s, TAKE_ONE), row(a.t, b.t, TAKE_ONE)])
  },
  or_b: ({ x, y }) => {
    const [a, b] = [of(x), of(y)]
    const satisfied = row(either(row(a.s, b.t), row(a.t, b.s)), TAKE_ONE)
    return resources(1 + count(x, y), [Math.max(a.k + b.l, b.k + a.l), a.l + b.l], [satisfied, row(a.t, b.t, TAKE_ONE)])
  },
  or_c: ({ x, y }) => {
    const [a, b] = [of(x), of(y)]
    const satisfied = either(row(a.s, TAKE_ONE), row(a.t, TAKE_ONE, b.s))
    return resources(2 + count(x, y), [Math.max(a.k, b.k + a.l), NEVER], [satisfied, IMPOSSIBLE])
  },
  or_d: ({ x, y }) => {
    const [a, b] = [of(x), of(y)]
    const satisfied = either(row(a.s, PUSH, TAKE_ONE), row(a.t, NOTHING, TAKE_ONE, b.s))
    return resources(3 + count(x, y), [Math.max(a.k, b.k + a.l), a.l + b.l], [
      satisfied,
      row(a.t, NOTHING, TAKE_ONE, b.t)
    ])
  },
  or_i: ({ x, y }) => {
    const [a, b] = [of(x), of(y)]
    const stack = [row(TAKE_ONE, either(a.s, b.s)), row(TAKE_ONE, either(a.t, b.t))] as const
    return resources(3 + count(x, y), [Math.max(a.k, b.k), Math.max(a.l, b.l)], stack)
  },
  andor: ({ x, y, z }) => {
    const [a, b, c] = [of(x), of(y), of(z)]
    const satisfied = either(row(a.s, TAKE_ONE, b.s), row(a.t, TAKE_ONE, c.s))
    return resources(3 + count(x, y, z), [Math.max(b.k + a.k, a.l + c.k), a.l + c.l], [
      satisfied,
      row(a.t, TAKE_ONE, c.t)
    ])
  }
}

/** Combines the parts of a threshold for every number of satisfied parts up to `k`. */
const ofThreshold = (k: number, parts: ReadonlyArray<Resources>): Resources => {
  const keys = new Float64Array(k + 1).fill(NEVER)
  const stack: Array<StackUse> = Array.from({ length: k + 1 }, () => IMPOSSIBLE)
  keys[0] = 0
  stack[0] = NOTHING
  for (const [i, part] of parts.entries()) {
    const { k: yes, l: no, s, t } = of(part)
    const add = i === 0 ? NOTHING : TAKE_ONE
    for (let j = Math.min(k, i + 1); j >= 0; j--) {
      const [fewer, before] = j === 0 ? [NEVER, IMPOSSIBLE] : [keys[j - 1]!, stack[j - 1]!]
      keys[j] = Math.max(keys[j]! + no, fewer + yes)
      stack[j] = row(either(row(stack[j]!, t), row(before, s)), add)
    }
  }
  const end = (j: number): StackUse => row(stack[j]!, PUSH, TAKE_ONE)
  return resources(count(...parts) + parts.length, [keys[k]!, keys[0]], [end(k), end(0)])
}

const HASH = row(PUSH, PUSH, TAKE_TWO, NOTHING, PUSH, TAKE_ONE)
const KEY_HASH = row(PUSH, NOTHING, PUSH, TAKE_TWO)

const LEAVES: Readonly<Record<string, (k: number, keys: number) => Resources>> = {
  0: () => resources(0, [NEVER, 0], [IMPOSSIBLE, PUSH]),
  1: () => resources(0, [0, NEVER], [PUSH, IMPOSSIBLE]),
  pk_k: () => resources(0, [0, 0], [PUSH, PUSH]),
  pk_h: () => resources(3, [0, 0], [KEY_HASH, KEY_HASH]),
  older: () => resources(1, [0, NEVER], [PUSH, IMPOSSIBLE]),
  after: () => resources(1, [0, NEVER], [PUSH, IMPOSSIBLE]),
  multi: (k, keys) => resources(1, [keys, keys], [use(k, k + keys + 2), use(k, k + keys + 2)]),
  multi_a: (_, keys) => resources(keys + 1, [0, 0], [use(keys - 1, keys), use(keys - 1, keys)])
}

/** Returns the resources of an expression, from those of its parts. */
export const resourcesOf = (
  form: string,
  k: number,
  keys: number,
  parts: ReadonlyArray<Resources>,
  needsVerify: boolean
): Resources => {
  if (form === "thresh") return ofThreshold(k, parts)
  const [x, y, z] = parts
  if (x !== undefined) return RULES[form]!({ x, y: y ?? x, z: z ?? x, needsVerify })
  return LEAVES[form]?.(k, keys) ?? resources(4, [0, NEVER], [HASH, IMPOSSIBLE])
}
