import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fromHex } from "../../src/oracles/byte-string.ts"
import { parseTransaction } from "../../src/oracles/read-transaction.ts"
import { closed, type NaiveSpend } from "../../src/oracles/spend.ts"
import { assemble } from "./assembler.ts"
import { expanded, type Repeated } from "./repeated.ts"
import { creditAndSpend } from "./script-tests.ts"

interface Case {
  readonly evaluate?: { readonly script?: Repeated }
  readonly spend?: {
    readonly scriptSig?: Repeated
    readonly scriptPubKey?: Repeated
    readonly witness?: ReadonlyArray<Repeated>
    readonly amount?: number
    readonly tx?: string
    readonly prevouts?: ReadonlyArray<readonly [number, string]>
    readonly index?: number
    readonly flags?: string
  }
}

const flagsOf = (flags: string | undefined): ReadonlySet<string> =>
  closed((flags ?? "").split(",").filter((name) => name !== "" && name !== "NONE"))

const spendOf = ({ spend }: Case): ReadonlyArray<NaiveSpend> => {
  if (spend === undefined) return []
  if (spend.tx !== undefined) {
    const tx = parseTransaction(fromHex(spend.tx))
    const spent = (spend.prevouts ?? []).map(([value, script]) => ({ value: BigInt(value), script: fromHex(script) }))
    return typeof tx === "string" ? [] : [{ tx, index: spend.index ?? 0, spent, flags: flagsOf(spend.flags) }]
  }
  const witness = (spend.witness ?? []).map((item) => expanded(item, ""))
  // Placeholders are for the runner of these vectors; what they would make is in other corpora.
  if (witness.some((item) => item.includes("#")) || expanded(spend.scriptPubKey ?? "", " ").includes("#")) return []
  const [scriptSig, scriptPubKey] = [spend.scriptSig ?? "", spend.scriptPubKey ?? ""].map((text) =>
    assemble(expanded(text, " "))
  )
  return [
    creditAndSpend(scriptSig!, scriptPubKey!, witness.map(fromHex), BigInt(spend.amount ?? 0), flagsOf(spend.flags))
  ]
}

const casesIn = (directory: string): ReadonlyArray<Case> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .flatMap(
      (entry) =>
        (JSON.parse(readFileSync(join(entry.parentPath, entry.name), "utf8")) as { cases?: ReadonlyArray<Case> })
          .cases ?? []
    )

const readable = <A>(read: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  try {
    return read()
  } catch {
    return []
  }
}

/**
 * Spends and scripts of our own rule vectors. A case that cannot be read here is left out: vectors are judged
 * elsewhere.
 */
export const ruleVectors = (
  directory: string
): { readonly spends: ReadonlyArray<NaiveSpend>; readonly scripts: ReadonlyArray<Uint8Array> } => {
  const cases = readable(() => casesIn(directory))
  return {
    spends: cases.flatMap((each) => readable(() => spendOf(each))),
    scripts: cases.flatMap((each) =>
      readable(() => (each.evaluate?.script === undefined ? [] : [assemble(expanded(each.evaluate.script, " "))]))
    )
  }
}
