import { blockOfOne } from "./genesis.ts"
import { bytesOfHex, hashOfDigits, numberOfDigits } from "./hex.ts"
import { knownSnapshot } from "./known-snapshot.ts"
import type { Network } from "./network.ts"
import { workParameters } from "./work.ts"

/** The coinbase of 3 May 2024, which pays to a key of zeros. */
const COINBASE = `01000000010${"0".repeat(63)}ffffffff` +
  "5504ffff001d01044c4c30332f4d61792f32303234203030303030303030303030303030303030303030316562643538633234343937306233616139" +
  "6437383362623030313031316662653865613865393865303065ffffffff" +
  "0100f2052a010000002321" + "00".repeat(33) + "ac00000000"

const HEADER = `01000000${"00".repeat(32)}` +
  "4e7b2b9128fe0291db0693af2ae418b767e657cd407e80cb1434221eaea7a07a046f3566ffff001dbb0c7817"

/** The test network of 2024 (BIP94): easy blocks no longer lower the difficulty of the next period. */
export const TESTNET4: Network = {
  name: "testnet4",
  parameters: {
    genesisHash: hashOfDigits("00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043"),
    work: workParameters(numberOfDigits(`00000000${"f".repeat(56)}`), { allowMinDifficulty: true, bip94: true }),
    heights: { bip34: 1, bip65: 1, bip66: 1, csv: 1, segwit: 1 },
    bip34Hash: undefined,
    scriptFlagExceptions: [],
    repeatedCoinbases: [],
    subsidyHalvingInterval: 210_000,
    signetChallenge: undefined
  },
  genesisBlock: blockOfOne(HEADER, COINBASE),
  magic: bytesOfHex("1c163f28"),
  port: 48_333,
  addresses: { publicKeyHash: 0x6f, scriptHash: 0xc4, witness: "tb" },
  dnsSeeds: ["seed.testnet4.bitcoin.sprovoost.nl", "seed.testnet4.wiz.biz"],
  minimumChainWork: numberOfDigits("09a0fe15d0177d086304"),
  headersSync: { commitmentPeriod: 606, redownloadBuffer: 16_092 },
  assumedValid: {
    height: 123_613,
    hash: hashOfDigits("0000000002368b1e4ee27e2e85676ae6f9f9e69579b29093e9a82c170bf7cf8a")
  },
  assumeUtxo: [
    knownSnapshot(
      90_000,
      "0000000002ebe8bcda020e0dd6ccfbdfac531d2f6a81457191b99fc2df2dbe3b",
      "784fb5e98241de66fdd429f4392155c9e7db5c017148e66e8fdbc95746f8b9b5",
      11_347_043
    ),
    knownSnapshot(
      120_000,
      "000000000bd2317e51b3c5794981c35ba894ce27d3e772d5c39ecd9cbce01dc8",
      "10b05d05ad468d0971162e1b222a4aa66caca89da2bb2a93f8f37fb29c4794b0",
      14_141_057
    )
  ],
  chainTransactions: { time: 1_772_013_387, count: 14_191_421, rate: 0.01848579579528412 }
}
