import type { PlanDraft } from "./draft.ts"

const UNITS: Readonly<Record<string, bigint>> = {
  k: 1_000n,
  K: 1n << 10n,
  m: 1_000_000n,
  M: 1n << 20n,
  g: 1_000_000_000n,
  G: 1n << 30n,
  t: 1_000_000_000_000n,
  T: 1n << 40n
}

/** Core counts in 64 bits. */
const TOO_MANY = 1n << 64n

/** Returns the bytes that may be sent in a day. A number without a unit is in MiB. */
export const uploadTargetOf = ({ args, problems }: PlanDraft): number => {
  const text = args.text("maxuploadtarget")
  if (text === undefined) return 0
  const [, digits, unit] = /^(\d+)([kKmMgGtT]?)$/.exec(text) ?? []
  const bytes = digits === undefined
    ? undefined
    : BigInt(digits) * UNITS[unit === undefined || unit === "" ? "M" : unit]!
  if (bytes === undefined || bytes >= TOO_MANY) {
    problems.push(`Unable to parse -maxuploadtarget: '${text}'`)
    return 0
  }
  return Number(bytes)
}
