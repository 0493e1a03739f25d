import type { Db } from '../../src/base/db/transact.ts'
import type { Secrets } from '../../src/base/secrets/secrets.ts'
import { addTokens } from '../../src/signals/streams/ledger/add-tokens.ts'
import { listLedgerAfter, type SaidRow } from '../../src/signals/streams/ledger/queries.ts'
import type { StreamKey } from '../../src/signals/streams/number-events.ts'
import { tokenSigner } from '../../src/signals/streams/token-signer.ts'

const pageSize = 2_000

/** The ledger of a stream with its tokens as they are sent, a page at a time. */
export async function* ledgerPages(db: Db, secrets: Secrets, stream: StreamKey): AsyncGenerator<SaidRow[]> {
  const signer = tokenSigner(db, secrets)
  for (let afterId = '0'; ; ) {
    const rows = await listLedgerAfter(db, { ...stream, afterId, limit: pageSize })
    const last = rows.at(-1)
    if (!last) return
    yield addTokens(signer, rows)
    afterId = last.id
  }
}

/** Tokens by their `jti`. */
export async function tokensOf(db: Db, secrets: Secrets, stream: StreamKey): Promise<Map<string, string>> {
  const tokens = new Map<string, string>()
  for await (const rows of ledgerPages(db, secrets, stream)) {
    for (const { jti, token } of rows) if (token !== null) tokens.set(jti, token)
  }
  return tokens
}
