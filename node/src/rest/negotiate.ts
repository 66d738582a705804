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

/** How much a type is wanted: by the range that says it most exactly. */
const qualityOf = (type: string, ranges: ReadonlyArray<Range>): number => {
  for (const wanted of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const range = ranges.find((each) => each.type === wanted)
    if (range !== undefined) return range.quality
  }
  return 0
}

/**
 * The form to answer in by the Accept header, the first of those wanted most; none: nothing that there is is wanted.
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
