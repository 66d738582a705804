import { concatBytes } from "@lockstep/kernel/bytes"
import { type Fragment, spreadOut } from "./fragment.ts"
import { hasProperties } from "./properties.ts"
import { pushNumber } from "./script-number.ts"

const op = (...codes: ReadonlyArray<number>): Uint8Array => Uint8Array.from(codes)

const push = (data: Uint8Array): Uint8Array => Uint8Array.of(data.length, ...data)

const IF = op(0x63)
const NOTIF = op(0x64)
const ELSE = op(0x67)
const ENDIF = op(0x68)
const VERIFY = op(0x69)
const TOALTSTACK = op(0x6b)
const FROMALTSTACK = op(0x6c)
const IFDUP_NOTIF = op(0x73, 0x64)
const DUP_IF = op(0x76, 0x63)
const DUP_HASH160 = op(0x76, 0xa9)
const SWAP = op(0x7c)
const SIZE_0NOTEQUAL_IF = op(0x82, 0x92, 0x63)
const SIZE_32_EQUALVERIFY = op(0x82, 0x01, 0x20, 0x88)
const ZERONOTEQUAL = op(0x92)
const ADD = op(0x93)
const BOOLAND = op(0x9a)
const BOOLOR = op(0x9b)
const EQUALVERIFY = op(0x88)
const CHECKLOCKTIMEVERIFY = op(0xb1)
const CHECKSEQUENCEVERIFY = op(0xb2)
const CHECKSIG = op(0xac)
const CHECKSIGADD = op(0xba)

/** Returns an instruction that checks, or its VERIFY variant, whose code is always the next one. */
const checked = (code: number, isVerified: boolean): Uint8Array => op(isVerified ? code + 1 : code)

const EQUAL = 0x87
const NUMEQUAL = 0x9c
const CHECKMULTISIG = 0xae

type Part = Uint8Array | readonly [Fragment, boolean]

/** The keys of a miniscript as its script contains them. */
export interface ScriptKeys {
  readonly bytes: (key: number) => Uint8Array
  readonly hash: (key: number) => Uint8Array
}

/** A fragment and its unverified parts, with its keys as they are pushed. */
interface Scene {
  readonly fragment: Fragment
  /** True if VERIFY follows, which some instructions include. */
  readonly isVerified: boolean
  readonly x: Part
  readonly y: Part
  readonly z: Part
  readonly keys: ReadonlyArray<Uint8Array>
  readonly hash: (key: number) => Uint8Array
}

type Rule = (scene: Scene) => ReadonlyArray<Part>

const hashed = (code: number): Rule => ({ fragment, isVerified }) => [
  SIZE_32_EQUALVERIFY,
  op(code),
  push(fragment.data),
  checked(EQUAL, isVerified)
]

/** Script of each form, in order. */
const RULES: Readonly<Record<Fragment["form"], Rule>> = {
  0: () => [pushNumber(0)],
  1: () => [pushNumber(1)],
  pk_k: ({ keys }) => keys,
  pk_h: ({ fragment, hash }) => [DUP_HASH160, push(hash(fragment.keys[0]!)), EQUALVERIFY],
  older: ({ fragment }) => [pushNumber(fragment.k), CHECKSEQUENCEVERIFY],
  after: ({ fragment }) => [pushNumber(fragment.k), CHECKLOCKTIMEVERIFY],
  ripemd160: hashed(0xa6),
  sha256: hashed(0xa8),
  hash160: hashed(0xa9),
  hash256: hashed(0xaa),
  multi: (
    { fragment, isVerified, keys }
  ) => [pushNumber(fragment.k), ...keys, pushNumber(keys.length), checked(CHECKMULTISIG, isVerified)],
  multi_a: (
    { fragment, isVerified, keys }
  ) => [
    ...keys.flatMap((key, i) => [key, i === 0 ? CHECKSIG : CHECKSIGADD]),
    pushNumber(fragment.k),
    checked(NUMEQUAL, isVerified)
  ],
  a: ({ x }) => [TOALTSTACK, x, FROMALTSTACK],
  s: ({ fragment, isVerified }) => [SWAP, [fragment.parts[0]!, isVerified]],
  c: ({ isVerified, x }) => [x, checked(CHECKSIG[0]!, isVerified)],
  d: ({ x }) => [DUP_IF, x, ENDIF],
  v: ({ fragment: { parts: [part] } }) =>
    hasProperties(part!.properties, "x") ? [[part!, true], VERIFY] : [[part!, true]],
  j: ({ x }) => [SIZE_0NOTEQUAL_IF, x, ENDIF],
  n: ({ x }) => [x, ZERONOTEQUAL],
  and_v: ({ fragment, isVerified, x }) => [x, [fragment.parts[1]!, isVerified]],
  and_b: ({ x, y }) => [x, y, BOOLAND],
  or_b: ({ x, y }) => [x, y, BOOLOR],
  or_c: ({ x, y }) => [x, NOTIF, y, ENDIF],
  or_d: ({ x, y }) => [x, IFDUP_NOTIF, y, ENDIF],
  or_i: ({ x, y }) => [IF, x, ELSE, y, ENDIF],
  andor: ({ x, y, z }) => [x, NOTIF, z, ELSE, y, ENDIF],
  thresh: ({ fragment: { k, parts }, isVerified }) => {
    const added = parts.flatMap((part, i): ReadonlyArray<Part> => i === 0 ? [[part, false]] : [[part, false], ADD])
    return [...added, pushNumber(k), checked(EQUAL, isVerified)]
  }
}

const NOTHING: Part = op()

const spread = ({ bytes, hash }: ScriptKeys) => (fragment: Fragment, isVerified: boolean): ReadonlyArray<Part> => {
  const [x = NOTHING, y = NOTHING, z = NOTHING] = fragment.parts.slice(0, 3).map((part): Part => [part, false])
  const keys = fragment.form === "pk_h" ? [] : fragment.keys.map((key) => push(bytes(key)))
  return RULES[fragment.form]({ fragment, isVerified, x, y, z, keys, hash })
}

/** Returns the script of a miniscript. */
export const scriptOfMiniscript = (root: Fragment, keys: ScriptKeys): Uint8Array =>
  concatBytes(spreadOut(root, false, spread(keys), (each) => each instanceof Uint8Array))
