import { hexOf } from "@lockstep/protocol/hex.ts"
import { type Fragment, spreadOut } from "./fragment.ts"

type Part = string | readonly [Fragment, boolean]

type KeyText = (key: number) => string

const commas = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => parts.flatMap((part) => [",", part])

const plain = (part: Fragment): Part => [part, false]

/** Returns the shorthand of an expression, if it has one. */
const shortForm = ({ form, parts }: Fragment, keyText: KeyText): ReadonlyArray<Part> | undefined => {
  const [x, y, z] = parts
  if (form === "c" && x!.form === "pk_k") return [`pk(${keyText(x!.keys[0]!)})`]
  if (form === "c" && x!.form === "pk_h") return [`pkh(${keyText(x!.keys[0]!)})`]
  return form === "andor" && z!.form === "0" ? ["and_n(", plain(x!), ",", plain(y!), ")"] : undefined
}

/** Returns the letter of a wrapper and the wrapped expression. */
const wrapperOf = ({ form, parts }: Fragment): readonly [letter: string, part: Fragment] | undefined => {
  const [x, y] = parts
  if (form.length === 1 && x !== undefined) return [form, x]
  if (form === "and_v" && y!.form === "1") return ["t", x!]
  if (form !== "or_i") return undefined
  return x!.form === "0" ? ["l", y!] : y!.form === "0" ? ["u", x!] : undefined
}

/** Formats the brackets of an expression without parts; empty if it has no brackets. */
const leafText = ({ data, form, k, keys }: Fragment, keyText: KeyText): string => {
  if (form === "0" || form === "1") return ""
  if (data.length > 0) return `(${hexOf(data)})`
  return `(${[...(k > 0 ? [k] : []), ...keys.map(keyText)].join(",")})`
}

const spread = (keyText: KeyText) => (fragment: Fragment, isWrapped: boolean): ReadonlyArray<Part> => {
  const before = isWrapped ? [":"] : []
  const short = shortForm(fragment, keyText)
  if (short !== undefined) return [...before, ...short]
  const wrapper = wrapperOf(fragment)
  if (wrapper !== undefined) return [wrapper[0], [wrapper[1], true]]
  const { form, k, parts } = fragment
  if (parts.length === 0) return [...before, form, leafText(fragment, keyText)]
  const inside = form === "thresh" ? [String(k), ...commas(parts.map(plain))] : commas(parts.map(plain)).slice(1)
  return [...before, `${form}(`, ...inside, ")"]
}

/** Formats a miniscript in its shortest form. */
export const miniscriptText = (root: Fragment, keyText: KeyText): string =>
  spreadOut(root, false, spread(keyText), (each) => typeof each === "string").join("")
