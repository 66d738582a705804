import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Result from "effect/Result"
import { addressOf, scriptOfAddress } from "../script-text/address.ts"
import { descriptorChecksum } from "../script-text/descriptor-checksum.ts"
import { scriptKind } from "../script-text/script-kind.ts"
import { bytesOfDigits } from "@lockstep/protocol/hex.ts"
import { type Expression, isRanged, type TreeLeaf } from "./descriptor.ts"
import { argumentsOf, type Rest, takeText, takeExpression } from "./expression-text.ts"
import { type KeyContext, keysOf, type KeyPlace } from "./key-expression.ts"
import type { DescriptorKey } from "./descriptor-key.ts"
import { miniscriptOf } from "./miniscript/miniscript-of.ts"

/** Result of a parser. An error is in the words that clients know. */
export type Parsed<A> = Result.Result<A, string>

type Expressions = ReadonlyArray<Expression>

const MAX_KEYS = 20
const MAX_KEYS_OF_SUM = 999
const MAX_BARE_KEYS = 3
const MAX_REDEEM_SCRIPT = 520
const MAX_DEPTH = 128

/**
 * Extends lists of alternatives to the length of the longest. Returns `undefined` if one has a different length other
 * than 1.
 */
const evenly = <A>(
  lists: ReadonlyArray<ReadonlyArray<A>>,
  atLeast = 1
): ReadonlyArray<ReadonlyArray<A>> | undefined => {
  const count = Math.max(atLeast, ...lists.map(({ length }) => length))
  if (lists.some(({ length }) => length !== 1 && length !== count)) return undefined
  return Array.from({ length: count }, (_, i) => lists.map((each) => each[each.length === 1 ? 0 : i]!))
}

const THRESHOLD = /^[0-9]+$/

type Several = Extract<Expression, { readonly keys: unknown }>["form"]

const countProblem = (
  form: Several,
  required: number,
  keys: ReadonlyArray<ReadonlyArray<DescriptorKey>>,
  place: KeyPlace
): string | undefined => {
  const isSum = form.endsWith("_a")
  const most = isSum ? MAX_KEYS_OF_SUM : MAX_KEYS
  const count = keys.length
  if (count === 0 || count > most) {
    return `Cannot have ${count} keys in ${
      isSum ? "multi_a" : "multisig"
    }; must have between 1 and ${most} keys, inclusive`
  }
  if (required < 1) return `Multisig threshold cannot be ${required}, must be at least 1`
  if (required > count) {
    return `Multisig threshold cannot be larger than the number of keys; threshold is ${required} but only ${count} keys specified`
  }
  if (place === "top" && count > MAX_BARE_KEYS) {
    return `Cannot have ${count} pubkeys in bare multisig; only at most 3 pubkeys`
  }
  const size = keys.reduce((sum, [key]) => sum + key!.size + 1, 3)
  return place === "sh" && size > MAX_REDEEM_SCRIPT
    ? `P2SH script is too large, ${size} bytes is larger than ${MAX_REDEEM_SCRIPT} bytes`
    : undefined
}

/** Parses miniscripts. Returns `undefined` if the text is not a miniscript. */
const miniscripts = (text: string, place: KeyPlace, context: KeyContext): Parsed<Expressions | undefined> =>
  Result.gen(function*() {
    const surroundings = place === "wsh" ? "wsh" : "tr"
    const { keys, root } = yield* miniscriptOf(
      text,
      surroundings,
      (key) => keysOf(key, surroundings, context),
      place === surroundings
    )
    if (root === undefined) return undefined
    const even = evenly(keys)
    if (even === undefined) return yield* Result.fail("Miniscript: Multipath derivation paths have mismatched lengths")
    return even.map((signers): Expression => ({ form: "miniscript", surroundings, root, signers }))
  })

const several = (form: Several, inside: string, place: KeyPlace, context: KeyContext): Parsed<Expressions> =>
  Result.gen(function*() {
    const rest: Rest = { text: inside }
    const threshold = takeExpression(rest)
    const required = Number(threshold)
    if (!THRESHOLD.test(threshold) || required >= 2 ** 32) {
      return yield* Result.fail(`Multi threshold '${threshold}' is not valid`)
    }
    const keys: Array<ReadonlyArray<DescriptorKey>> = []
    while (rest.text !== "") {
      if (!takeText(",", rest)) return yield* Result.fail(`Multi: expected ',', got '${rest.text[0]}'`)
      keys.push(yield* Result.mapError(keysOf(takeExpression(rest), place, context), (problem) => `Multi: ${problem}`))
    }
    const problem = countProblem(form, required, keys, place)
    if (problem !== undefined) return yield* Result.fail(problem)
    const even = evenly(keys)
    if (even === undefined) return yield* Result.fail("multi(): Multipath derivation paths have mismatched lengths")
    return even.map((each): Expression => ({ form, required, keys: each }))
  })

const sole = (
  form: "pk" | "pkh" | "wpkh" | "combo" | "rawtr" | "unused",
  inside: string,
  place: KeyPlace,
  context: KeyContext
): Parsed<Expressions> =>
  Result.map(
    Result.mapError(keysOf(inside, place, context), (problem) => `${form}(): ${problem}`),
    (keys) => keys.map((key): Expression => ({ form, key, isXOnly: place === "tr" }))
  )

/** Parses leaves with their depths, as given by the braces of a tree. */
const treeOf = (
  rest: Rest,
  context: KeyContext
): Parsed<ReadonlyArray<{ readonly depth: number; readonly leaf: Expressions }>> =>
  Result.gen(function*() {
    const leaves: Array<{ readonly depth: number; readonly leaf: Expressions }> = []
    const branches: Array<boolean> = []
    do {
      while (takeText("{", rest)) {
        branches.push(false)
        if (branches.length > MAX_DEPTH) return yield* Result.fail(`tr() supports at most ${MAX_DEPTH} nesting levels`)
      }
      leaves.push({ depth: branches.length, leaf: yield* expressionsOf(takeExpression(rest), "tr", context) })
      while (branches.at(-1) === true) {
        if (!takeText("}", rest)) return yield* Result.fail("tr(): expected '}' after script expression")
        branches.pop()
      }
      if (branches.length > 0) {
        if (!takeText(",", rest)) return yield* Result.fail("tr(): expected ',' after script expression")
        branches[branches.length - 1] = true
      }
    } while (branches.length > 0)
    if (rest.text !== "") return yield* Result.fail("tr(): expected ')' after script expression")
    return leaves
  })

const taproot = (inside: string, context: KeyContext): Parsed<Expressions> =>
  Result.gen(function*() {
    const rest: Rest = { text: inside }
    const keys = yield* Result.mapError(keysOf(takeExpression(rest), "tr", context), (problem) => `tr(): ${problem}`)
    if (rest.text === "") return keys.map((key): Expression => ({ form: "tr", key, leaves: [] }))
    if (!takeText(",", rest)) return yield* Result.fail(`tr: expected ',', got '${rest.text[0]}'`)
    const tree = yield* treeOf(rest, context)
    const even = evenly(tree.map(({ leaf }) => leaf), keys.length)
    if (even === undefined) {
      return yield* Result.fail("tr(): Multipath subscripts have mismatched lengths")
    }
    if (keys.length > 1 && keys.length !== even.length) {
      return yield* Result.fail("tr(): Multipath internal key mismatches multipath subscripts lengths")
    }
    return even.map((leaves, i): Expression => ({
      form: "tr",
      key: keys[keys.length === 1 ? 0 : i]!,
      leaves: leaves.map((expression, j): TreeLeaf => ({ depth: tree[j]!.depth, expression }))
    }))
  })

const nested = (form: "sh" | "wsh", inside: string, context: KeyContext): Parsed<Expressions> =>
  Result.gen(function*() {
    const rest: Rest = { text: inside }
    const inner = yield* expressionsOf(takeExpression(rest), form, context)
    if (rest.text !== "") return yield* Result.fail("")
    return inner.map((each): Expression => ({ form, inner: each }))
  })

const address = (inside: string, { addresses }: Network): Parsed<Expressions> => {
  const script = scriptOfAddress(inside, addresses)
  return script === undefined
    ? Result.fail("Address is not valid")
    : Result.succeed([{ form: "addr", address: addressOf(scriptKind(script), addresses) ?? inside, script }])
}

const raw = (inside: string): Parsed<Expressions> => {
  const script = inside === "" ? undefined : bytesOfDigits(inside)
  return script === undefined ? Result.fail("Raw script is not hex") : Result.succeed([{ form: "raw", script }])
}

const rawTaproot = (inside: string, context: KeyContext): Parsed<Expressions> => {
  const rest: Rest = { text: inside }
  const key = takeExpression(rest)
  return rest.text === "" ? sole("rawtr", key, "tr", context) : Result.fail("rawtr(): only one key expected.")
}

const unused = (inside: string, context: KeyContext): Parsed<Expressions> => {
  const rest: Rest = { text: inside }
  const key = takeExpression(rest)
  if (rest.text !== "") return Result.fail("unused(): only one key expected")
  return Result.flatMap(
    sole("unused", key, "top", context),
    (found) => found.some(isRanged) ? Result.fail("unused(): key cannot be ranged") : Result.succeed(found)
  )
}

/**
 * One form of script expression: the contexts that allow it, and the error in other contexts, where `undefined` means
 * an unknown function. The last member parses it.
 */
interface Form {
  readonly places: ReadonlyArray<KeyPlace>
  readonly elsewhere: string | undefined
  readonly read: (inside: string, place: KeyPlace, context: KeyContext) => Parsed<Expressions>
}

const MULTI_ELSEWHERE = "Can only have multi/sortedmulti at top level, in sh(), or in wsh()"
const SUM_ELSEWHERE = "Can only have multi_a/sortedmulti_a inside tr()"

const multi = (form: Several): Form => ({
  places: form.endsWith("_a") ? ["tr"] : ["top", "sh", "wsh"],
  elsewhere: form.endsWith("_a") ? SUM_ELSEWHERE : MULTI_ELSEWHERE,
  read: (inside, place, context) => several(form, inside, place, context)
})

const FORMS: Readonly<Record<string, Form>> = {
  pk: {
    places: ["top", "sh", "wsh", "tr"],
    elsewhere: undefined,
    read: (inside, place, context) => sole("pk", inside, place, context)
  },
  pkh: {
    places: ["top", "sh", "wsh"],
    elsewhere: undefined,
    read: (inside, place, context) => sole("pkh", inside, place, context)
  },
  combo: {
    places: ["top"],
    elsewhere: "Can only have combo() at top level",
    read: (inside, place, context) => sole("combo", inside, place, context)
  },
  multi: multi("multi"),
  sortedmulti: multi("sortedmulti"),
  multi_a: multi("multi_a"),
  sortedmulti_a: multi("sortedmulti_a"),
  wpkh: {
    places: ["top", "sh"],
    elsewhere: "Can only have wpkh() at top level or inside sh()",
    read: (inside, _, context) => sole("wpkh", inside, "wpkh", context)
  },
  sh: {
    places: ["top"],
    elsewhere: "Can only have sh() at top level",
    read: (inside, _, context) => nested("sh", inside, context)
  },
  wsh: {
    places: ["top", "sh"],
    elsewhere: "Can only have wsh() at top level or inside sh()",
    read: (inside, _, context) => nested("wsh", inside, context)
  },
  addr: {
    places: ["top"],
    elsewhere: "Can only have addr() at top level",
    read: (inside, _, context) => address(inside, context.network)
  },
  tr: {
    places: ["top"],
    elsewhere: "Can only have tr at top level",
    read: (inside, _, context) => taproot(inside, context)
  },
  rawtr: {
    places: ["top"],
    elsewhere: "Can only have rawtr at top level",
    read: (inside, _, context) => rawTaproot(inside, context)
  },
  unused: {
    places: ["top"],
    elsewhere: "Can only have unused() at top level",
    read: (inside, _, context) => unused(inside, context)
  },
  raw: { places: ["top"], elsewhere: "Can only have raw() at top level", read: (inside) => raw(inside) }
}

const expressionsOf = (text: string, place: KeyPlace, context: KeyContext): Parsed<Expressions> => {
  const name = text.slice(0, Math.max(0, text.indexOf("(")))
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined
  const inside = form === undefined ? undefined : argumentsOf(name, text)
  if (form !== undefined && inside !== undefined) {
    if (form.places.includes(place)) return form.read(inside, place, context)
    if (form.elsewhere !== undefined) return Result.fail(form.elsewhere)
  }
  return Result.flatMap(miniscripts(text, place, context), (found) => {
    if (found !== undefined) return Result.succeed(found)
    if (place === "sh") return Result.fail("A function is needed within P2SH")
    if (place === "wsh") return Result.fail("A function is needed within P2WSH")
    return Result.fail(`'${text}' is not a valid descriptor function`)
  })
}

/** Returns the part of a descriptor before its checksum, after verifying the checksum. */
const withoutChecksum = (text: string, isRequired: boolean): Parsed<string> => {
  const [payload = "", given, ...more] = text.split("#")
  if (more.length > 0) return Result.fail("Multiple '#' symbols")
  if (given === undefined && isRequired) return Result.fail("Missing checksum")
  if (given !== undefined && given.length !== 8) {
    return Result.fail(`Expected 8 character checksum, not ${given.length} characters`)
  }
  const checksum = descriptorChecksum(payload)
  if (checksum === undefined) return Result.fail("Invalid characters in payload")
  return given === undefined || given === checksum
    ? Result.succeed(payload)
    : Result.fail(`Provided checksum '${given}' does not match computed checksum '${checksum}'`)
}

/**
 * Parses a descriptor into one expression, or one for each alternative of its paths. `secrets` has private keys of
 * other descriptors; those of this one are added.
 */
export const parseDescriptor = (
  text: string,
  network: Network,
  needsChecksum = false,
  secrets: KeyContext["secrets"] = new Map()
): Parsed<Expressions> =>
  Result.gen(function*() {
    const rest: Rest = { text: yield* withoutChecksum(text, needsChecksum) }
    const expressions = yield* expressionsOf(takeExpression(rest), "top", {
      network,
      secrets,
      musig: { participants: 0 }
    })
    return rest.text === "" ? expressions : yield* Result.fail("")
  })
