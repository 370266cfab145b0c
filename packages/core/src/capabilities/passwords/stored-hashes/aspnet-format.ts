import {
  checkLength,
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  unreadable,
} from './hash-format.ts'
import { pbkdf2Hash } from './pbkdf2-format.ts'

const headerBytes = 13
const minSaltBytes = 16
/** Of version 2, whose hashes name no costs */
const version2 = { digest: 'sha1', iterations: '1000', saltBytes: 16 }
const digests = ['sha1', 'sha256', 'sha512']

/**
 * ASP.NET Core Identity: PBKDF2 in base64. Version 3 is `AQAAAA…`: 1, the digest, the iterations and the salt's length
 * (32 bits each, the highest byte first), salt, hash. Version 2, of ASP.NET Identity before Core, is 0, a salt of 16 bytes
 * and a hash of 32, 49 bytes in all.
 */
export const aspnetFormat: HashFormat = {
  looksLike: /^AQAAAA[AEI]|^A[A-P][0-9A-Za-z+/]{64}==$/,
  read: (stored) => {
    const bytes = readBase64(stored, headerBytes + minSaltBytes + minHashBytes, maxSaltBytes)
    if (bytes[0] === 0) {
      const [salt, hash] = split(bytes, 1, version2.saltBytes)
      return pbkdf2Hash(version2.digest, version2.iterations, salt, hash)
    }
    const digest = digests[bytes.readUInt32BE(1)] ?? unreadable('its digest is not known')
    const [salt, hash] = split(bytes, headerBytes, bytes.readUInt32BE(9))
    return pbkdf2Hash(digest, String(bytes.readUInt32BE(5)), salt, hash)
  },
}

function split(bytes: Buffer, start: number, saltBytes: number): [Buffer, Buffer] {
  const salt = bytes.subarray(start, start + saltBytes)
  return [
    checkLength(salt, minSaltBytes, maxSaltBytes),
    checkLength(bytes.subarray(start + saltBytes), minHashBytes, maxHashBytes),
  ]
}
