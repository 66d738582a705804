import fc, { type Arbitrary } from "fast-check"
import { join } from "../oracles/byte-string.ts"
import { hash160, sha256 } from "../oracles/hash.ts"
import { pushOf } from "../oracles/instructions.ts"
import { tapBranchHash, tapLeafHash } from "../oracles/taproot.ts"
import { edgeBytes, mutated } from "./bytes.ts"
import { publicKeyEncoding, xOnlyKey } from "./key.ts"
import { numberOperand } from "./number.ts"
import { anyScript, opcodeSoup, pushOnlyScript } from "./script.ts"
import { signatureWithHashType } from "./signature.ts"
import { KEY_PAIRS, keyPairOfSecret, tweakedSecret } from "./signer.ts"
import { signedSpend } from "./spend.ts"
import { filled, type SpendFrame, spendFrame, witnessStack } from "./transaction.ts"
import { validScript } from "./valid-script.ts"

const EMPTY = new Uint8Array(0)
const scriptHash = (script: Uint8Array): Uint8Array => join([169], pushOf(hash160(script)), [135])
const program = (version: number, bytes: Uint8Array): Uint8Array =>
  join([version === 0 ? 0 : 80 + version], pushOf(bytes))

/** How a script is brought to run: bare, behind a script hash, in a witness of version 0 or 1. */
const WRAPPINGS = ["bare", "p2sh", "p2wsh", "p2sh-p2wsh", "tapscript"] as const

/** Leaf `script` under the first key, by a path of its own; the last byte of the control block may be damaged. */
const tapscript = (
  frame: SpendFrame,
  script: Uint8Array,
  items: ReadonlyArray<Uint8Array>,
  leafVersion: number,
  annex: boolean
): SpendFrame => {
  const path = frame.index % 2 === 0 ? [] : [new Uint8Array(32).fill(7)]
  const root = path.reduce(tapBranchHash, tapLeafHash(leafVersion, script))
  const output = keyPairOfSecret(tweakedSecret(KEY_PAIRS[0]!, root))
  const control = join([leafVersion + Number(output.point.y % 2n)], KEY_PAIRS[0]!.xOnly, ...path)
  return filled(frame, EMPTY, program(1, output.xOnly), [
    ...items,
    script,
    control,
    ...(annex ? [Uint8Array.of(0x50, 1)] : [])
  ])
}

const wrapped = (
  wrapping: (typeof WRAPPINGS)[number],
  frame: SpendFrame,
  script: Uint8Array,
  items: ReadonlyArray<Uint8Array>,
  leafVersion: number,
  annex: boolean
): SpendFrame => {
  const pushes = join(...items.map(pushOf))
  const v0 = program(0, sha256(script))
  switch (wrapping) {
    case "bare":
      return filled(frame, pushes, script, [])
    case "p2sh":
      return filled(frame, join(pushes, pushOf(script)), scriptHash(script), [])
    case "p2wsh":
      return filled(frame, EMPTY, v0, [...items, script])
    case "p2sh-p2wsh":
      return filled(frame, pushOf(v0), scriptHash(v0), [...items, script])
    case "tapscript":
      return tapscript(frame, script, items, leafVersion, annex)
  }
}

const stackItem: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: numberOperand },
  { weight: 1, arbitrary: edgeBytes() },
  { weight: 1, arbitrary: publicKeyEncoding },
  { weight: 1, arbitrary: signatureWithHashType }
)

const leafVersions = fc.constantFrom(0xc0, 0xc0, 0xc0, 0xc2, 0x50, 0x00)

/** A signature check of parts that need not fit each other. */
const signatureScript: Arbitrary<Uint8Array> = fc.oneof(
  fc
    .tuple(signatureWithHashType, publicKeyEncoding, fc.constantFrom(172, 173))
    .map(([signature, key, opcode]) => join(pushOf(signature), pushOf(key), [opcode, 81])),
  fc
    .tuple(
      fc.array(signatureWithHashType, { maxLength: 3 }),
      fc.array(publicKeyEncoding, { maxLength: 3 }),
      fc.constantFrom(0, 81),
      fc.constantFrom(174, 175)
    )
    .map(([signatures, keys, dummy, opcode]) =>
      join([dummy], ...signatures.map(pushOf), [80 + signatures.length || 0], ...keys.map(pushOf), [
        keys.length === 0 ? 0 : 80 + keys.length,
        opcode
      ])
    ),
  fc
    .tuple(signatureWithHashType, numberOperand, xOnlyKey)
    .map(([signature, n, key]) => join(pushOf(signature), pushOf(n), pushOf(key), [186]))
)

const scriptSpend: Arbitrary<SpendFrame> = fc
  .tuple(
    fc.constantFrom(...WRAPPINGS),
    spendFrame,
    fc.oneof(anyScript, validScript, signatureScript),
    fc.array(stackItem, { maxLength: 4 }),
    leafVersions,
    fc.boolean()
  )
  .map(([wrapping, frame, script, items, leafVersion, annex]) =>
    wrapped(wrapping, frame, script, items, leafVersion, annex)
  )

/** Outputs that look like witness programs, with any scriptSig and witness. */
const programSpend: Arbitrary<SpendFrame> = fc
  .tuple(
    spendFrame,
    fc.integer({ min: 0, max: 17 }),
    fc.oneof(fc.constantFrom(2, 20, 32, 40), fc.integer({ min: 1, max: 42 })),
    fc.nat(255),
    fc.oneof(fc.constant(EMPTY), pushOnlyScript),
    witnessStack,
    fc.boolean()
  )
  .map(([frame, version, length, fill, scriptSig, witness, nested]) => {
    const output = length === 2 && version === 1
      ? program(1, Uint8Array.of(0x4e, 0x73))
      : program(version, new Uint8Array(length).fill(fill))
    return nested
      ? filled(frame, join(scriptSig, pushOf(output)), scriptHash(output), witness)
      : filled(frame, scriptSig, output, witness)
  })

const rawSpend: Arbitrary<SpendFrame> = fc
  .tuple(spendFrame, fc.oneof(pushOnlyScript, opcodeSoup), anyScript, witnessStack)
  .map(([frame, scriptSig, scriptPubKey, witness]) => filled(frame, scriptSig, scriptPubKey, witness))

const change = (bytes: Uint8Array): Arbitrary<Uint8Array> => mutated(fc.constant(bytes))

/** A signed spend with one of its parts damaged after signing. */
const damagedSpend: Arbitrary<SpendFrame> = fc
  .tuple(signedSpend(), fc.nat(), fc.constantFrom("scriptSig", "scriptPubKey", "item", "extra"))
  .chain(([frame, at, part]) => {
    const { script: scriptSig, witness } = frame.tx.inputs[frame.index]!
    const scriptPubKey = frame.spent[frame.index]!.script
    if (part === "scriptSig") return change(scriptSig).map((changed) => filled(frame, changed, scriptPubKey, witness))
    if (part === "scriptPubKey") {
      return change(scriptPubKey).map((changed) => filled(frame, scriptSig, changed, witness))
    }
    if (part === "extra" || witness.length === 0) {
      return edgeBytes(33).map((item) => filled(frame, scriptSig, scriptPubKey, [...witness, item]))
    }
    const place = at % witness.length
    return change(witness[place]!).map((changed) =>
      filled(
        frame,
        scriptSig,
        scriptPubKey,
        witness.map((item, i) => (i === place ? changed : item))
      )
    )
  })

/** Spends of every kind, most of which fail somewhere. */
export const anySpend: Arbitrary<SpendFrame> = fc.oneof(
  { weight: 5, arbitrary: scriptSpend },
  { weight: 2, arbitrary: programSpend },
  { weight: 2, arbitrary: rawSpend },
  { weight: 2, arbitrary: signedSpend() },
  { weight: 3, arbitrary: damagedSpend }
)
