import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Test files that take 20 seconds or more, the longest first. A file that is not here may be as slow; it only costs time
 * when it happens to run last, while the other workers have nothing left to do.
 */
export const SLOW_FILES: ReadonlyArray<string> = [
  "node/test/advice/advice.test.ts",
  "node/test/engine/verdicts.test.ts",
  "node/test/corruption/full-disk.test.ts",
  "node/test/rights/data-directory.test.ts",
  "node/test/machine/unwritable-output.test.ts",
  "node/test/p2p/iroh/in-private-network.test.ts",
  "node/test/acceptance/verdicts-over-rpc.test.ts",
  "node/test/corruption/corruption.test.ts",
  "node/test/p2p/simulation/simulation.test.ts",
  "node/test/storage/key-value/crash.test.ts",
  "node/test/foreign/foreign-peer.test.ts",
  "node/test/crash/crash.test.ts",
  "node/test/maintenance/rebuild-command.test.ts",
  "node/test/rights/not-regular.test.ts",
  "node/test/cli/process.test.ts",
  "conformance/test/conformance-cli.test.ts",
  "node/test/launcher/surroundings.test.ts",
  "node/test/rpc/abuse/abuse.test.ts",
  "node/test/maintenance/verify-chain.test.ts",
  "node/test/p2p/core-peer/transactions.test.ts",
  "node/test/engine/faults.test.ts",
  "node/test/p2p/process/pruned.test.ts",
  "conformance/test/mutation-report.test.ts",
  "descriptors/test/satisfactions.test.ts",
  "node/test/rest/recorded.test.ts",
  "node/test/power-cut/node.test.ts",
  "node/test/faults/faults.test.ts",
  "node/test/p2p/process/longer-messages.test.ts",
  "node/test/bad-input/start.test.ts",
  "node/test/p2p/resume/resume.test.ts",
  "node/test/p2p/process/live-sync.test.ts",
  "node/test/p2p/hostile/junk/junk.test.ts",
  "node/test/cli/quick-rpc.test.ts",
  "property-tests/src/rules/taproot/spend.test.ts",
  "node/test/p2p/hostile/hostile.test.ts",
  "node/test/p2p/process/dandelion.test.ts",
  "node/test/corruption/damaged-while-running.test.ts",
  "node/test/p2p/core-peer/reorganisation.test.ts",
  "node/test/storage/key-value/damage.test.ts",
  "node/test/indexes/faults.test.ts",
  "node/test/machine/machine.test.ts",
  "node/test/rpc/chain-methods.test.ts",
  "node/test/recordings/rest.test.ts",
  "node/test/p2p/process/private-broadcast.test.ts",
  "node/test/modules/escape/escape.test.ts",
  "node/test/engine/random-chains.test.ts",
  "node/test/recordings/longpoll.test.ts",
  "node/test/storage/key-value/open-key-value-store.test.ts",
  "node/test/maintenance/import-files.test.ts",
  "node/test/power-cut/stores.test.ts",
  "conformance/test/mutation-area-command.test.ts",
  "node/test/bitcoind/bytes.test.ts",
  "node/test/p2p/core-peer/disconnects.test.ts",
  "node/test/p2p/connections/outbound.test.ts",
  "node/test/maintenance/faults.test.ts",
  "node/test/maintenance/interrupted-import.test.ts",
  "node/test/p2p/transcripts/transcripts.test.ts",
  "node/test/rpc/golden.test.ts",
  "node/test/p2p/transport/transports.test.ts",
  "node/test/bitcoind/process.test.ts",
  "node/test/cli/import.test.ts",
  "node/test/p2p/company/company.test.ts",
  "node/test/rpc/raw-transactions.test.ts",
  "node/test/modules/shipped/zmq-slow-subscriber.test.ts",
  "node/test/launcher/launcher.test.ts",
  "node/test/p2p/process/quic.test.ts",
  "node/test/p2p/process/first-asked.test.ts"
]

/** `files` with the slow ones before all others, whose order stays. */
export const slowFirst = <T>(files: ReadonlyArray<T>, pathOf: (file: T) => string): Array<T> => {
  const places = new Map(SLOW_FILES.map((path, place) => [path, place]))
  const placeOf = (file: T): number => places.get(pathOf(file)) ?? SLOW_FILES.length
  return files.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Without it a fresh clone runs files by their size, and the slowest of all, which is short, last and alone. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return slowFirst(await super.sort(files), ({ moduleId }) => relative(process.cwd(), moduleId))
  }
}
