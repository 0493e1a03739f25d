import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import type { Reader } from '../../base/db/transact.ts'
import { findCompanionKey } from '../companion-keys/queries.ts'
import { fieldsOf, isAddress } from './signed-request.ts'

const type = 'muster-companion-key+jwt'
const path = '/api/v1/companion/enroll'
const maxLength = 2_000

/**
 * The linked key of the organization that has signed for a new one (docs/companion-protocol.md). Undefined when there is
 * none, or when the statement is of anything else: the new key enrolls all the same, without its word.
 */
export async function findVoucher(
  reader: Reader,
  statement: unknown,
  { organizationId, kid, hosts }: { organizationId: string; kid: string; hosts: readonly string[] },
): Promise<string | undefined> {
  if (typeof statement !== 'string' || statement.length > maxLength) return undefined
  const voucherKid = kidOf(statement)
  const voucher = voucherKid === undefined ? undefined : await findCompanionKey(reader, voucherKid)
  if (voucher?.organization_id !== organizationId || voucher.status !== 'linked') return undefined
  try {
    const key = await importJWK(voucher.public_jwk, 'ES256')
    const { payload } = await compactVerify(statement, key, { algorithms: ['ES256'] })
    const { iss, sub, aud } = fieldsOf(JSON.parse(new TextDecoder().decode(payload)))
    return iss === voucher.kid && sub === kid && isAddress(aud, { path, hosts }) ? voucher.kid : undefined
  } catch {
    return undefined
  }
}

function kidOf(statement: string): string | undefined {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(statement)
    return alg === 'ES256' && typ === type && typeof kid === 'string' ? kid : undefined
  } catch {
    return undefined
  }
}
