import type { Settings } from "@lockstep/sdk"

export const SETTINGS = {
  listen: "127.0.0.1:3333" as string,
  payout_address: "" as string,
  start_difficulty: 1024 as number,
  least_difficulty: 0.001 as number,
  share_seconds: 10 as number,
  refresh_seconds: 20 as number,
  version_mask: "1fffe000" as string
}

/** Validated settings of the operator. */
export interface ServerRules {
  readonly listen: string
  readonly payoutAddress: string
  readonly startDifficulty: number
  readonly vardiff: { readonly shareSeconds: number; readonly least: number }
  readonly refreshSeconds: number
  /** Bits of a block's version that miners may change. */
  readonly versionMask: number
}

const LONGEST_REFRESH = 25

const positive = (name: string, value: number): number => {
  if (value > 0 && Number.isFinite(value)) return value
  throw new Error(`the setting ${name} must be above 0, and is ${value}`)
}

/** Validates the settings. Throws if one is invalid. */
export const rulesOf = (settings: Settings<typeof SETTINGS>): ServerRules => {
  const { payout_address, refresh_seconds, version_mask } = settings
  if (payout_address === "") throw new Error("set payout_address to the address that blocks are to pay to")
  if (!/^[0-9a-f]{8}$/i.test(version_mask)) {
    throw new Error(`the setting version_mask must be 8 hexadecimal digits, and is ${version_mask}`)
  }
  if (!Number.isSafeInteger(refresh_seconds) || refresh_seconds < 1 || refresh_seconds > LONGEST_REFRESH) {
    throw new Error(`the setting refresh_seconds must be from 1 to ${LONGEST_REFRESH}, and is ${refresh_seconds}`)
  }
  const least = positive("least_difficulty", settings.least_difficulty)
  return {
    listen: settings.listen,
    payoutAddress: payout_address,
    startDifficulty: Math.max(least, positive("start_difficulty", settings.start_difficulty)),
    vardiff: { shareSeconds: positive("share_seconds", settings.share_seconds), least },
    refreshSeconds: refresh_seconds,
    versionMask: Number.parseInt(version_mask, 16)
  }
}
