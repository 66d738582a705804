import { HTTP_FAILED, shownProblem } from "./http-failed.ts"

/**
 * Problems that Bitcoin Core finds when its log is open (`AppInitMain`), by how they begin. It finds all others before
 * (`AppInitParameterInteraction`), and then makes no log.
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

/** Whether a start that ends with this problem leaves a log. */
export const isLateProblem = (problem: string): boolean =>
  shownProblem(problem).includes(HTTP_FAILED) || LATE.some((pattern) => pattern.test(problem))
