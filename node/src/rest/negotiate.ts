import type { Form } from "./route.ts"

export const JSON_TYPE = "application/json"
export const BINARY_TYPE = "application/octet-stream"
export const HEX_TYPE = "text/plain"

const OFFERED: ReadonlyArray<readonly [type: string, form: Form]> = [
  [JSON_TYPE, "json"],
  [BINARY_TYPE, "binary"],
  [HEX_TYPE, "hex"]
]

interface Range {
  readonly type: string
  readonly quality: number
}

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

const rangeOf = (text: string): Range => {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const quality = parameters.map((each) => QUALITY.exec(each)?.[1]).find((each) => each !== undefined)
  return { type, quality: quality === undefined ? 1 : Number(quality) }
}

/** Returns the quality of a type, from the most specific matching range. */
const qualityOf = (type: string, ranges: ReadonlyArray<Range>): number => {
  for (const wanted of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const range = ranges.find((each) => each.type === wanted)
    if (range !== undefined) return range.quality
  }
  return 0
}

/**
 * Chooses the form of the answer by the Accept header: the first of those with the highest quality. Returns `undefined`
 * if no available form is acceptable.
 */
export const negotiate = (accept: string | undefined, hasBytes: boolean): Form | undefined => {
  if (accept === undefined || accept.trim() === "") return "json"
  const ranges = accept.split(",").map(rangeOf)
  let best: Form | undefined
  let most = 0
  for (const [type, form] of hasBytes ? OFFERED : OFFERED.slice(0, 1)) {
    const quality = qualityOf(type, ranges)
    if (quality > most) [best, most] = [form, quality]
  }
  return best
}
