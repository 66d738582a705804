import { assert, describe, it } from "vitest"
import { syncSettings } from "../../../src/p2p/sync/sync-settings.ts"

describe("the settings of the sync", () => {
  it("are those of the configuration, times in milliseconds", () => {
    const download = {
      blocksPerRequest: 3,
      blocksPerPeer: 5,
      fromOnePeer: true,
      timeoutSeconds: 7,
      headersTimeoutSeconds: 11,
      headersFailures: 13,
      peers: []
    }
    const settings = {
      blocksPerRequest: 3,
      blocksPerPeer: 5,
      fromOnePeer: true,
      downloadTimeout: 7_000,
      headersTimeout: 11_000,
      headersFailures: 13
    }
    assert.deepStrictEqual(syncSettings(download), { ...settings, isPatient: false })
    assert.deepStrictEqual(syncSettings(download, true), { ...settings, isPatient: true })
  })
})
