import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import { activationHeight, withActivationHeights } from "@lockstep/protocol/networks/activation-heights.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Field } from "../formats/field.ts"

const ACTIVATION = "-testactivationheight="

/**
 * The rules of regtest under the options in `args` of a row, if it has some: a start without them keeps those of the
 * one before.
 */
export const parametersIn = (row: Field): ChainParameters | undefined => {
  const args = row.find("args")?.items
  if (args === undefined) return undefined
  const heights = args.filter(({ text }) => text.startsWith(ACTIVATION)).map((arg) =>
    activationHeight(arg.text.slice(ACTIVATION.length)) ?? arg.fail("expected a deployment and a height")
  )
  const parameters = withActivationHeights(REGTEST.parameters, heights)
  const bip94 = args.some(({ text }) => text === "-test=bip94")
  return { ...parameters, work: { ...parameters.work, bip94 } }
}
