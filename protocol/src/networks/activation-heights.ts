import type { ChainParameters, DeploymentHeights } from "@lockstep/kernel/parameters"

/** Deployments whose height a private network may choose, by their names in options. */
const MEMBERS = {
  bip34: "bip34",
  dersig: "bip66",
  cltv: "bip65",
  csv: "csv",
  segwit: "segwit"
} as const satisfies Record<string, keyof DeploymentHeights>

export type DeploymentName = keyof typeof MEMBERS

export const DEPLOYMENT_NAMES = Object.keys(MEMBERS) as ReadonlyArray<DeploymentName>

const isName = (name: string): name is DeploymentName => Object.hasOwn(MEMBERS, name)

/** Parses `name@height`. Returns `undefined` if the text is invalid. */
export const activationHeight = (text: string): readonly [DeploymentName, number] | undefined => {
  const [, name, digits] = /^([a-z0-9]+)@([0-9]{1,9})$/.exec(text) ?? []
  return name !== undefined && isName(name) ? [name, Number(digits)] : undefined
}

/** Returns `parameters` with other activation heights for some deployments. */
export const withActivationHeights = (
  parameters: ChainParameters,
  heights: Iterable<readonly [DeploymentName, number]>
): ChainParameters => {
  const changed: { -readonly [K in keyof DeploymentHeights]: number } = { ...parameters.heights }
  for (const [name, height] of heights) changed[MEMBERS[name]] = height
  return { ...parameters, heights: changed }
}
