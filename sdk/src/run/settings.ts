import { unknownName } from "@lockstep/protocol/module-ipc/index.ts"

/** Types of settings. A list is one of `node.toml`, or a text with commas. */
export type SettingValue = string | number | boolean | ReadonlyArray<string>

/** The settings of a module by their names in lower case, each with its default value. */
export type SettingDefaults = Readonly<Record<string, SettingValue>>

type Widened<V> = V extends string ? string : V extends number ? number : V extends boolean ? boolean
: ReadonlyArray<string>

/** The values of settings. */
export type Settings<D extends SettingDefaults> = { readonly [K in keyof D]: Widened<D[K]> }

const numberIn = (text: string): number | undefined =>
  text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text)

const listIn = (text: string): ReadonlyArray<string> | undefined => {
  if (!text.startsWith("[")) return text.split(",").map((each) => each.trim()).filter((each) => each !== "")
  try {
    const found = JSON.parse(text) as ReadonlyArray<unknown>
    return found.every((each) => typeof each === "string") ? found : undefined
  } catch {
    return undefined
  }
}

const parsed = (text: string, standard: SettingValue): SettingValue | undefined => {
  switch (typeof standard) {
    case "string":
      return text
    case "number":
      return numberIn(text)
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined
    default:
      return listIn(text)
  }
}

const wanted = (standard: SettingValue): string =>
  typeof standard === "boolean" ? "true or false" : typeof standard === "number" ? "a number" : "a list of texts"

/** Merges the operator's settings with the defaults. Throws for an unknown name or a value of the wrong type. */
export const settingsOf = <const D extends SettingDefaults>(
  given: ReadonlyMap<string, string>,
  defaults: D
): Settings<D> => {
  const values: Record<string, SettingValue> = { ...defaults }
  for (const [name, text] of given) {
    const standard = defaults[name]
    if (standard === undefined) {
      const known = Object.keys(defaults)
      throw new Error(`${unknownName("setting", name, known)} (settings of this module: ${known.join(", ") || "none"})`)
    }
    const value = parsed(text, standard)
    if (value === undefined) throw new Error(`the setting ${name} must be ${wanted(standard)}, and is ${text}`)
    values[name] = value
  }
  return values as Settings<D>
}
