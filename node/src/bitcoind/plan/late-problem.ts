import { HTTP_FAILED, shownProblem } from "./http-failed.ts"

/**
 * Prefixes of the problems that Bitcoin Core finds once its log is open (`AppInitMain`). It finds all others earlier
 * (`AppInitParameterInteraction`) and then creates no log.
 */
const LATE: ReadonlyArray<RegExp> = [
  /^acceptstalefeeestimates is not supported on /,
  /^Unable to parse -maxuploadtarget/,
  /^Invalid port specified in /,
  /^User Agent comment /,
  /^Total length of network version string /,
  /^(?:Unknown network specified in -onlynet|Outbound connections restricted to )/,
  /^(?:Invalid -(?:proxy|onion|i2psam) address or hostname|Unrecognized network in -proxy)/,
  /^Cannot resolve -(?:externalip|bind|whitebind) address/,
  /^Need to specify a port with -whitebind/,
  /^(?:Invalid P2P permission|Only direction was set|whitebind may only be used|Invalid netmask specified in -whitelist)/,
  /^Duplicate binding configuration /,
  /^Private broadcast of own transactions requested /,
  /^(?:Could not find|Could not parse|Could not read embedded) asmap|^Embedded asmap data not available/,
  /^-maxmempool must be at least /
]

/** Reports whether a start that ends with this problem leaves a log. */
export const isLateProblem = (problem: string): boolean =>
  shownProblem(problem).includes(HTTP_FAILED) || LATE.some((pattern) => pattern.test(problem))
