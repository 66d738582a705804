import { createCipheriv, createDecipheriv, createHmac, hash } from "node:crypto"

const TAG = 16
const NOTHING = Buffer.alloc(0)

const sha256 = (...parts: ReadonlyArray<Uint8Array>): Buffer => hash("sha256", Buffer.concat(parts), "buffer")
const hmac = (key: Uint8Array, data: Uint8Array): Buffer => createHmac("sha256", key).update(data).digest()

/** Derives two keys from a chaining key and a secret, as in Noise. */
const derived = (chaining: Uint8Array, secret: Uint8Array): readonly [Buffer, Buffer] => {
  const key = hmac(chaining, secret)
  const first = hmac(key, Buffer.of(1))
  return [first, hmac(key, Buffer.concat([first, Buffer.of(2)]))]
}

/** One direction of an encrypted connection: ChaCha20-Poly1305 with a counter as its nonce. */
export interface CipherState {
  readonly seal: (plain: Uint8Array, additional?: Uint8Array) => Buffer
  /** Decrypts. Returns `undefined` if the bytes were not encrypted with this key, counter and additional data. */
  readonly open: (sealed: Uint8Array, additional?: Uint8Array) => Buffer | undefined
}

export const cipherState = (key: Uint8Array): CipherState => {
  let counter = 0n
  const nonce = (): Buffer => {
    const bytes = Buffer.alloc(12)
    bytes.writeBigUInt64LE(counter, 4)
    return bytes
  }
  return {
    seal: (plain, additional = NOTHING) => {
      const cipher = createCipheriv("chacha20-poly1305", key, nonce(), { authTagLength: TAG })
      cipher.setAAD(additional, { plaintextLength: plain.length })
      counter++
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open: (sealed, additional = NOTHING) => {
      if (sealed.length < TAG) return undefined
      const decipher = createDecipheriv("chacha20-poly1305", key, nonce(), { authTagLength: TAG })
      const body = sealed.subarray(0, -TAG)
      decipher.setAAD(additional, { plaintextLength: body.length })
      decipher.setAuthTag(sealed.subarray(-TAG))
      try {
        const plain = Buffer.concat([decipher.update(body), decipher.final()])
        counter++
        return plain
      } catch {
        return undefined
      }
    }
  }
}

/** Common state of both sides of a handshake: a hash of the transcript, and a chaining key. */
export interface SymmetricState {
  readonly mixHash: (data: Uint8Array) => void
  readonly mixKey: (secret: Uint8Array) => void
  readonly encryptAndHash: (plain: Uint8Array) => Buffer
  readonly decryptAndHash: (sealed: Uint8Array) => Buffer | undefined
  /** Returns the states of the direction from the initiator and of that to it. */
  readonly split: () => readonly [CipherState, CipherState]
}

const PROTOCOL = "Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256"

export const symmetricState = (): SymmetricState => {
  let chaining = sha256(Buffer.from(PROTOCOL))
  let said = sha256(chaining)
  let cipher: CipherState | undefined
  const mixHash = (data: Uint8Array): void => {
    said = sha256(said, data)
  }
  return {
    mixHash,
    mixKey: (secret) => {
      const [next, key] = derived(chaining, secret)
      chaining = next
      cipher = cipherState(key)
    },
    encryptAndHash: (plain) => {
      const sealed = cipher?.seal(plain, said) ?? Buffer.from(plain)
      mixHash(sealed)
      return sealed
    },
    decryptAndHash: (sealed) => {
      const plain = cipher === undefined ? Buffer.from(sealed) : cipher.open(sealed, said)
      mixHash(sealed)
      return plain
    },
    split: () => {
      const [first, second] = derived(chaining, NOTHING)
      return [cipherState(first), cipherState(second)]
    }
  }
}
