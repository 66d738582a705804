import { firstBlock } from "./genesis.ts"
import { bytesOfHex, hashOfDigits, numberOfDigits } from "./hex.ts"
import { knownSnapshot } from "./known-snapshot.ts"
import type { Network } from "./network.ts"
import { workParameters } from "./work.ts"

/** The default signed network (BIP325): every block satisfies a script, one signature of two keys. */
export const SIGNET: Network = {
  name: "signet",
  parameters: {
    genesisHash: hashOfDigits("00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6"),
    work: workParameters(numberOfDigits(`00000377ae${"0".repeat(54)}`)),
    heights: { bip34: 1, bip65: 1, bip66: 1, csv: 1, segwit: 1 },
    bip34Hash: undefined,
    scriptFlagExceptions: [],
    repeatedCoinbases: [],
    subsidyHalvingInterval: 210_000,
    signetChallenge: bytesOfHex(
      "512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430" +
        "210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae"
    )
  },
  genesisBlock: firstBlock("008f4d5fae77031e8ad22203"),
  magic: bytesOfHex("0a03cf40"),
  port: 38_333,
  addresses: { publicKeyHash: 0x6f, scriptHash: 0xc4, witness: "tb" },
  dnsSeeds: ["seed.signet.bitcoin.sprovoost.nl", "seed.signet.achownodes.xyz"],
  minimumChainWork: numberOfDigits("0b463ea0a4b8"),
  headersSync: { commitmentPeriod: 620, redownloadBuffer: 15_724 },
  assumedValid: {
    height: 293_175,
    hash: hashOfDigits("00000008414aab61092ef93f1aacc54cf9e9f16af29ddad493b908a01ff5c329")
  },
  assumeUtxo: [
    knownSnapshot(
      160_000,
      "0000003ca3c99aff040f2563c2ad8f8ec88bd0fd6b8f0895cfaf1ef90353a62c",
      "fe0a44309b74d6b5883d246cb419c6221bcccf0b308c9b59b7d70783dbdf928a",
      2_289_496
    ),
    knownSnapshot(
      290_000,
      "0000000577f2741bb30cd9d39d6d71b023afbeb9764f6260786a97969d5c9ac0",
      "97267e000b4b876800167e71b9123f1529d13b14308abec2888bbd2160d14545",
      28_547_497
    )
  ],
  chainTransactions: { time: 1_772_055_248, count: 28_676_833, rate: 0.06736623436338929 }
}
