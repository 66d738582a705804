import { nearest } from "./nearest.ts"

interface Parts {
  readonly area: string
  readonly number: number
}

const partsOf = (id: string): Parts => {
  const [, area = "", digits = ""] = /^([A-Z]+)-?(\d*)/.exec(id) ?? []
  return { area, number: Number(digits) }
}

/** Numbers in their order as ranges: `001–003, 005`. */
const ranges = (ids: ReadonlyArray<string>): string => {
  const numbers = ids.map((id) => id.slice(id.indexOf("-") + 1)).toSorted()
  const found: Array<[first: string, last: string]> = []
  for (const text of numbers) {
    const last = found.at(-1)
    if (last !== undefined && Number(text) === Number(last[1]) + 1) last[1] = text
    else found.push([text, text])
  }
  return found.map(([first, last]) => first === last ? first : `${first}–${last}`).join(", ")
}

/** What to say about an id that no rule has: the nearest of its area and what that has, or the nearest of all. */
export const aboutUnknownRule = (given: string, ids: ReadonlyArray<string>): string => {
  const { area, number } = partsOf(given)
  const beside = ids.filter((id) => partsOf(id).area === area)
  if (beside.length === 0) {
    const areas = [...new Set(ids.map((id) => partsOf(id).area))]
    return `the nearest is ${nearest(given, ids)}; the areas are ${areas.join(", ")}`
  }
  const away = (id: string): number => Math.abs(partsOf(id).number - number)
  const near = beside.reduce((best, id) => away(id) < away(best) ? id : best)
  return `the nearest is ${near}; ${area} has ${ranges(beside)}`
}
