import { CORE_NAMES, type SharedSetting } from "./core-names.ts"
import { FRONT } from "./front.ts"

const isCore = FRONT === "bitcoind"

const coreName = (shown: string): string | undefined =>
  Object.hasOwn(CORE_NAMES, shown) ? CORE_NAMES[shown as SharedSetting] : undefined

/** Returns the name of a setting in the running program: `[connections].proxy`, or `-proxy`. */
export const settingName = (shown: SharedSetting): string => isCore ? CORE_NAMES[shown] : shown

/** Returns the same for any setting. One that only `lockstep` has keeps its name. */
export const anySettingName = (shown: string): string => (isCore ? coreName(shown) : undefined) ?? shown

/** Returns the same without the table, if that is known from the context: `tor_control`, or `-torcontrol`. */
export const shortSettingName = (shown: SharedSetting): string =>
  isCore ? CORE_NAMES[shown] : shown.slice(shown.lastIndexOf(".") + 1)

/** Returns a setting with a value: `[connections].listen = false`, or `-listen=0`. */
export const settingTo = (shown: SharedSetting, value: boolean | number): string =>
  isCore ? `${CORE_NAMES[shown]}=${Number(value)}` : `${shown} = ${value}`
