import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { inOrder } from "../chain/in-order.ts"
import { storeOf } from "../chain/offer.ts"
import { type Entry, isActive, type Store } from "../chain/store.ts"
import { submitBlock } from "../chain/submit.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

/** What earlier requests made, by the name they gave it. */
interface Objects {
  store: Store | undefined
  readonly blocks: Map<string, Uint8Array>
  readonly entries: Map<string, Entry>
}

const named = <A>(objects: ReadonlyMap<string, A>, field: Field): A =>
  objects.get(field.get("ref").text) ?? field.fail("refers to nothing that was made before")

const activeAt = (store: Store, height: Field): Entry => {
  for (let at: Entry | undefined = store.tip; at !== undefined; at = at.parent) {
    if (at.node.height === height.integer) return at
  }
  return height.fail("is above the tip")
}

const processBlock = (store: Store, block: Uint8Array): boolean =>
  submitBlock(store, () => block).result !== "duplicate"

/** Carries a request out; answers what the response says beyond a reference, as JSON. */
const answer = (objects: Objects, request: Field, crypto: Crypto): unknown => {
  const method = request.get("method")
  const params = request.get("params")
  const name = request.find("ref")?.text ?? ""
  const store = objects.store ??= storeOf(REGTEST, crypto)
  switch (method.text.replace(/^btck_/, "")) {
    case "context_create":
    case "chainstate_manager_create":
    case "chainstate_manager_get_active_chain":
      return { ref: name }
    case "context_destroy":
    case "chainstate_manager_destroy":
      return null
    case "block_create":
      objects.blocks.set(name, params.get("raw_block").bytes)
      return { ref: name }
    case "chainstate_manager_process_block":
      return { new_block: processBlock(store, named(objects.blocks, params.get("block"))) }
    case "chain_get_height":
      return store.tip.node.height
    case "chain_get_by_height":
      objects.entries.set(name, activeAt(store, params.get("block_height")))
      return { ref: name }
    case "chain_contains":
      return isActive(store, named(objects.entries, params.get("block_tree_entry")))
    case "block_tree_entry_get_block_hash":
      return displayHexOf(named(objects.entries, params.get("block_tree_entry")).node.hash)
    default:
      return method.fail("is a method that this runner does not have")
  }
}

/** Requests to the reference's library about one chain, each with its response. */
export const kernelChain: Runner = function*(file) {
  const objects: Objects = { store: undefined, blocks: new Map(), entries: new Map() }
  const step = inOrder()
  for (const [i, test] of readJson(file).get("tests").items.entries()) {
    const expected = test.get("expected_response").find("result")?.raw ?? null
    const judge = step(({ crypto }): Outcome =>
      same("result", JSON.stringify(expected), JSON.stringify(answer(objects, test.get("request"), crypto)))
    )
    yield { index: String(i), name: test.get("description").text, judge }
  }
}
