import { type SingleLeafOutput, singleLeafOutput } from "../codec/taproot-output.ts"
import type { Field } from "../formats/field.ts"
import { hexOf } from "../formats/hex.ts"

const SCRIPT = "#SCRIPT#"
const CONTROL_BLOCK = "#CONTROLBLOCK#"
const OUTPUT_KEY = "#TAPROOTOUTPUT#"

/** A witness and the script it spends, with the placeholders of `script_tests.json` filled in. */
interface SpentScript {
  readonly witness: ReadonlyArray<Uint8Array>
  readonly scriptPubKey: Uint8Array
}

/**
 * Reads witness items and the scriptPubKey they spend. `#SCRIPT#asm` is the bytes of a script, `#CONTROLBLOCK#` the
 * control block under which the item before it is the only leaf, and `#TAPROOTOUTPUT#` the output key of that leaf.
 */
export const spentScript = (items: ReadonlyArray<Field>, scriptPubKey: Field): SpentScript => {
  const witness: Array<Uint8Array> = []
  let output: SingleLeafOutput | undefined
  for (const item of items) {
    if (item.raw === CONTROL_BLOCK) {
      const script = witness.at(-1) ?? item.fail("a control block follows its script")
      output = singleLeafOutput(script)
      witness.push(output.controlBlock)
    } else if (typeof item.raw === "string" && item.raw.startsWith(SCRIPT)) {
      witness.push(item.replaced(item.raw.slice(SCRIPT.length)).script)
    } else witness.push(item.bytes)
  }
  if (typeof scriptPubKey.raw !== "string" || !scriptPubKey.raw.includes(OUTPUT_KEY)) {
    return { witness, scriptPubKey: scriptPubKey.script }
  }
  if (output === undefined) return scriptPubKey.fail(`${OUTPUT_KEY} needs a ${CONTROL_BLOCK} in the witness`)
  return {
    witness,
    scriptPubKey: scriptPubKey.replaced(scriptPubKey.raw.replace(OUTPUT_KEY, `0x${hexOf(output.outputKey)}`)).script
  }
}
