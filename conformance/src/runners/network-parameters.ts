import { blockSubsidy } from "@lockstep/kernel/internal/connect/subsidy.ts"
import { BIP34_IMPLIES_BIP30_LIMIT } from "@lockstep/kernel/internal/constants.ts"
import type {
  BlockId,
  DeploymentHeights,
  WorkParameters
} from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import type { AssumeUtxo, Network } from "@lockstep/protocol/networks/network.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { SIGNET } from "@lockstep/protocol/networks/signet.ts"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"
import type { Field } from "../formats/field.ts"
import { flagsOf } from "../formats/flag-names.ts"
import { displayHexOf, hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Case, Runner } from "./runner.ts"

/** Whether a fact holds of a network. */
type Judge = (network: Network, fact: Field) => Outcome

const numberText = (value: bigint): string => value.toString(16).padStart(64, "0")

const displayed = (hash: Uint8Array | undefined): string => hash === undefined ? "none" : displayHexOf(hash)

const judgeGenesis: Judge = ({ genesisBlock, parameters }, fact) =>
  same("hash", fact.get("hash").text, displayHexOf(parameters.genesisHash)) ??
    same("block", fact.get("block").text, hexOf(genesisBlock))

const judgeHeights: Judge = ({ parameters: { heights, work } }, fact) => {
  const names = Object.keys(heights) as ReadonlyArray<keyof DeploymentHeights>
  return names.map((name) => same(name, fact.get(name).integer, heights[name])).find((outcome) =>
    outcome !== undefined
  ) ??
    same("bip94", fact.find("bip94")?.boolean ?? false, work.bip94)
}

const flagsFor = (flags: Field): number => flagsOf(flags.text === "NONE" ? flags.replaced("") : flags)

const judgeExceptions: Judge = ({ parameters: { scriptFlagExceptions } }, fact) => {
  const expected = fact.names.map((hash) => `${hash} ${flagsFor(fact.get(hash))}`)
  const actual = scriptFlagExceptions.map(({ flags, hash }) => `${displayHexOf(hash)} ${flags}`)
  return same("exceptions", expected.toSorted().join(), actual.toSorted().join())
}

const judgeWork: Judge = ({ parameters: { work } }, fact) => {
  const expected: Partial<WorkParameters> = {
    allowMinDifficulty: fact.get("allowMinDifficulty").boolean,
    bip94: fact.get("bip94").boolean,
    noRetargeting: fact.get("noRetargeting").boolean,
    targetTimespan: fact.find("timespan")?.integer ?? 1_209_600,
    targetSpacing: 600
  }
  const outcomes = Object.entries(expected).map(([name, value]) =>
    same(name, value, work[name as keyof WorkParameters])
  )
  return outcomes.find((outcome) => outcome !== undefined)
}

const judgeAssumedValid: Judge = ({ assumedValid }, fact) =>
  same("block", fact.at(0).text, displayed(assumedValid?.hash)) ??
    same("height", fact.at(1).integer, assumedValid?.height)

const judgeAssumeUtxo: Judge = ({ assumeUtxo }, fact) => {
  const expected = fact.items.map((row) =>
    [row.at(0).integer, row.at(1).text, row.at(2).text, row.at(3).integer].join(" ")
  )
  const actual = assumeUtxo.map((each: AssumeUtxo) =>
    [each.height, displayHexOf(each.hash), displayHexOf(each.setHash), each.chainTransactions].join(" ")
  )
  return same("snapshots", expected.join("; "), actual.join("; "))
}

/** What the file says, network by network. */
const BY_NETWORK: Readonly<Record<string, Judge>> = {
  genesis: judgeGenesis,
  magic: ({ magic }, fact) => same("magic", fact.text, hexOf(magic)),
  port: ({ port }, fact) => same("port", fact.integer, port),
  activationHeights: judgeHeights,
  bip34Hash: ({ parameters }, fact) => same("block", fact.text, displayed(parameters.bip34Hash)),
  scriptFlagExceptions: judgeExceptions,
  powLimit: ({ parameters }, fact) => same("limit", fact.text, numberText(parameters.work.powLimit)),
  pow: judgeWork,
  minimumChainWork: ({ minimumChainWork }, fact) => same("work", fact.text, numberText(minimumChainWork)),
  defaultAssumeValid: judgeAssumedValid,
  assumeutxo: judgeAssumeUtxo
}

const networkOf = (name: string): Network | undefined => networkCalled(name === "main" ? "mainnet" : name)

const networkCases = function*(content: Field): Generator<Case> {
  for (const [topic, judge] of Object.entries(BY_NETWORK)) {
    const facts = content.get(topic)
    for (const name of facts.names.filter((each) => each !== "note")) {
      yield {
        index: `${topic}.${name}`,
        name: `${topic} of ${name}`,
        judge: () => judge(networkOf(name) ?? facts.fail(`names no network "${name}"`), facts.get(name))
      }
    }
  }
}

const repeatedBlocks = (blocks: Field): string =>
  blocks.names.map((height) => `${height} ${blocks.get(height).text}`).join()

const otherCases = function*(content: Field): Generator<Case> {
  const bip30 = content.get("bip30")
  const subsidy = content.get("subsidy")
  yield {
    index: "signetChallenge",
    name: "challenge of signet",
    judge: () =>
      same("challenge", content.get("signetChallenge").get("default").text, hexOf(SIGNET.parameters.signetChallenge!))
  }
  yield {
    index: "bip30",
    name: "blocks that repeat a coinbase",
    judge: () =>
      same(
        "blocks",
        repeatedBlocks(bip30.get("repeat")),
        MAINNET.parameters.repeatedCoinbases.map(({ hash, height }: BlockId) => `${height} ${displayHexOf(hash)}`)
          .join()
      ) ??
        same("limit", bip30.get("bip34ImpliesBip30Limit").integer, BIP34_IMPLIES_BIP30_LIMIT)
  }
  for (const name of subsidy.get("interval").names) {
    yield {
      index: `subsidy.interval.${name}`,
      name: `halving interval of ${name}`,
      judge: () =>
        same("interval", subsidy.get("interval").get(name).integer, networkOf(name)!.parameters.subsidyHalvingInterval)
    }
  }
  for (const sample of subsidy.get("samples").items) {
    const height = sample.at(0).integer
    yield {
      index: `subsidy.${height}`,
      name: `subsidy at height ${height}`,
      judge: () => same("subsidy", sample.at(1).bigint, blockSubsidy(height, MAINNET.parameters.subsidyHalvingInterval))
    }
  }
  yield {
    index: "subsidy.total",
    name: "all subsidies together",
    judge: () => {
      const { subsidyHalvingInterval: interval } = MAINNET.parameters
      let total = 0n
      for (let halvings = 0; halvings <= 64; halvings++) {
        total += blockSubsidy(halvings * interval, interval) * BigInt(interval)
      }
      return same("total", subsidy.get("maxMoneyIssuedSat").bigint, total)
    }
  }
}

/** Facts about every network, against the parameters of this software. */
export const networkParameters: Runner = function*(file) {
  const content = readJson(file)
  yield* networkCases(content)
  yield* otherCases(content)
}
