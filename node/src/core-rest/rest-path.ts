import { decodedText } from "../http/decoded-text.ts"

/** Format that the ending of a path requests; `undefined` for another ending or none. */
export type Format = "bin" | "hex" | "json"

/** The part of a path after the prefix of its route. */
export interface RestPath {
  /** The parameter without the ending of a format. */
  readonly param: string
  readonly format: Format | undefined
  /** Returns the first value of a query parameter. */
  readonly query: (name: string) => string | undefined
}

const FORMATS: ReadonlyArray<string> = ["bin", "hex", "json"]

const isFormat = (text: string): text is Format => FORMATS.includes(text)

export const restPath = (text: string): RestPath => {
  const mark = text.lastIndexOf("?")
  const path = mark < 0 ? text : text.slice(0, mark)
  const dot = path.lastIndexOf(".")
  const ending = dot < 0 ? undefined : path.slice(dot + 1)
  const format = ending !== undefined && isFormat(ending) ? ending : undefined
  const [, queries = ""] = text.split(/\?(.*)/s, 2)
  const pairs = queries.split("&").map((pair) => pair.split(/=(.*)/s, 2).map(decodedText))
  return {
    // An empty ending is removed as well.
    param: format !== undefined || ending === "" ? path.slice(0, dot) : path,
    format,
    query: (name) => pairs.find(([own, value]) => own === name && value !== undefined)?.[1]
  }
}

/**
 * Reads a whole number as Bitcoin Core does in paths: digits only. Returns `undefined` if it is invalid or above
 * `most`.
 */
export const wholeNumber = (text: string, most: bigint): bigint | undefined => {
  if (!/^\d{1,20}$/.test(text)) return undefined
  const value = BigInt(text)
  return value <= most ? value : undefined
}
