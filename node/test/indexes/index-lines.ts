import { INDEX_SWITCHES, INDEXES, type IndexSwitch } from "../../src/engine/options/index-switches.ts"

/** Lines of `[storage.indexing]` that switch indexes on and off. */
export const indexLines = (isOn: (each: IndexSwitch) => boolean): ReadonlyArray<string> =>
  INDEX_SWITCHES.map((each) => `${INDEXES[each].key} = ${isOn(each)}`)
