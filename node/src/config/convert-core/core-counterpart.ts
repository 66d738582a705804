import { NETWORK_TABLE } from "../network-table.ts"
import { CORE_MAPPING } from "./core-mapping.ts"
import { emptyDraft } from "./draft.ts"

/** Values of which one suits most settings. */
const SAMPLES = ["1000", "1", "60"]

/** Returns the key that one of Bitcoin Core's settings becomes; `undefined` if it is unknown or becomes no single key. */
export const coreCounterpart = (name: string): string | undefined => {
  const mapping = Object.hasOwn(CORE_MAPPING, name) ? CORE_MAPPING[name] : undefined
  for (const value of mapping === undefined ? [] : SAMPLES) {
    const draft = emptyDraft(NETWORK_TABLE.regtest)
    const before = draft.values.size
    if (typeof mapping!(value, draft) === "string" || draft.values.size === before) continue
    return [...draft.values.keys()][before]
  }
  return undefined
}
