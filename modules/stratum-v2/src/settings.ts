import type { Settings } from "@lockstep/sdk"

export const SETTINGS = {
  listen: "127.0.0.1:3334" as string,
  payout_address: "" as string,
  least_difficulty: 0.001 as number,
  share_seconds: 10 as number,
  refresh_seconds: 20 as number,
  certificate_hours: 24 as number,
  job_declaration: false as boolean,
  template_distribution: false as boolean
}

/** Validated settings of the operator. */
export interface ServerRules {
  readonly listen: string
  readonly payoutAddress: string
  readonly vardiff: { readonly shareSeconds: number; readonly least: number }
  readonly refreshSeconds: number
  readonly certificateSeconds: number
  readonly declaresJobs: boolean
  readonly distributesTemplates: boolean
}

const LONGEST_REFRESH = 25
const HOUR = 3_600

const positive = (name: string, value: number): number => {
  if (value > 0 && Number.isFinite(value)) return value
  throw new Error(`the setting ${name} must be above 0, and is ${value}`)
}

/** Validates the settings. Throws if one is invalid. */
export const rulesOf = (settings: Settings<typeof SETTINGS>): ServerRules => {
  const { payout_address, refresh_seconds } = settings
  if (payout_address === "") throw new Error("set payout_address to the address that blocks are to pay to")
  if (!Number.isSafeInteger(refresh_seconds) || refresh_seconds < 1 || refresh_seconds > LONGEST_REFRESH) {
    throw new Error(`the setting refresh_seconds must be from 1 to ${LONGEST_REFRESH}, and is ${refresh_seconds}`)
  }
  return {
    listen: settings.listen,
    payoutAddress: payout_address,
    vardiff: {
      shareSeconds: positive("share_seconds", settings.share_seconds),
      least: positive("least_difficulty", settings.least_difficulty)
    },
    refreshSeconds: refresh_seconds,
    certificateSeconds: Math.round(HOUR * positive("certificate_hours", settings.certificate_hours)),
    declaresJobs: settings.job_declaration,
    distributesTemplates: settings.template_distribution
  }
}
