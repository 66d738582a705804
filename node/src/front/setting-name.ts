import { CORE_NAMES, type SharedSetting } from "./core-names.ts"
import { FRONT } from "./front.ts"

const isCore = FRONT === "bitcoind"

const coreName = (shown: string): string | undefined =>
  Object.hasOwn(CORE_NAMES, shown) ? CORE_NAMES[shown as SharedSetting] : undefined

/** A setting as the program that runs calls it: `[connections].proxy`, or `-proxy`. */
export const settingName = (shown: SharedSetting): string => isCore ? CORE_NAMES[shown] : shown

/** The same of any setting: one that only `lockstep` has keeps its name. */
export const anySettingName = (shown: string): string => (isCore ? coreName(shown) : undefined) ?? shown

/** The same where the table was named before, or goes without saying: `tor_control`, or `-torcontrol`. */
export const shortSettingName = (shown: SharedSetting): string =>
  isCore ? CORE_NAMES[shown] : shown.slice(shown.lastIndexOf(".") + 1)

/** A setting with a value: `[connections].listen = false`, or `-listen=0`. */
export const settingTo = (shown: SharedSetting, value: boolean | number): string =>
  isCore ? `${CORE_NAMES[shown]}=${Number(value)}` : `${shown} = ${value}`
