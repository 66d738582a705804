import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { type CustomSignet, type NetworkChanges, networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import { planDeployments } from "./deployments.ts"
import type { PlanDraft } from "./draft.ts"

/** Height above which `-fastprune` prunes on regtest. */
const FAST_PRUNE_HEIGHT = 100

const MAGIC_BYTES = 4

/** Returns the magic of a signet: the first bytes of the hash of its challenge, serialized as a script. */
const magicOf = (challenge: Uint8Array): Uint8Array =>
  nobleCrypto.sha256d(concatBytes([encodeCompactSize(challenge.length), challenge])).slice(0, MAGIC_BYTES)

const customSignet = ({ args, chain, notices, problems, values }: PlanDraft): CustomSignet | undefined => {
  const challenges = args.list("signetchallenge")
  const seeds = args.list("signetseednode")
  if (chain !== "signet") {
    for (const [name, given] of [["signetchallenge", challenges], ["signetseednode", seeds]] as const) {
      if (given.length > 0) notices.push(`-${name} has no effect: it is about signet alone`)
    }
    return undefined
  }
  const [text] = challenges
  if (text === undefined) return undefined
  if (challenges.length > 1) {
    problems.push("-signetchallenge cannot be multiple values.")
    return undefined
  }
  // Bitcoin Core accepts blanks between bytes, and an empty text.
  if (!/^\s*(?:[0-9a-fA-F]{2}\s*)*$/.test(text)) {
    problems.push(`-signetchallenge must be hex, not '${text}'.`)
    return undefined
  }
  values.set("connections.fixed_seeds", false)
  if (!args.isSet("assumevalid")) values.set("validation.assume_valid", "none")
  const challenge = new Uint8Array(Buffer.from(text.replace(/\s/g, ""), "hex"))
  return { challenge, magic: magicOf(challenge), dnsSeeds: seeds }
}

const WORK = /^(?:0x)?([0-9a-fA-F]{0,64})$/

const leastWork = ({ args, network: { name }, notices, problems }: PlanDraft): bigint | undefined => {
  const text = args.text("minimumchainwork")
  if (text === undefined) return undefined
  const digits = WORK.exec(text)?.[1]
  if (digits === undefined) problems.push(`Invalid minimum work specified (${text}), must be up to 64 hex digits`)
  if (digits === undefined) return undefined
  const [work, usual] = [BigInt(`0x0${digits}`), networkWith(name, {}).minimumChainWork]
  if (work < usual) {
    notices.push(`nMinimumChainWork set below default value of ${usual.toString(16).padStart(64, "0")}`)
  }
  return work
}

/** Plans the changes of options to the network. */
export const planNetwork = (draft: PlanDraft): NetworkChanges => ({
  signet: customSignet(draft),
  minimumChainWork: leastWork(draft),
  testDummy: planDeployments(draft),
  bip94: draft.args.list("test").includes("bip94"),
  pruneAfterHeight: draft.chain === "regtest" && draft.args.flag("fastprune") === true ? FAST_PRUNE_HEIGHT : undefined
})
