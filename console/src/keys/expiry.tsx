import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { RelativeTime, useNow } from '../components/relative-time.tsx'

/** When a key ends, or since when it is refused. */
export function Expiry({ apiKey: { expires_at: expiresAt } }: { apiKey: ConsoleApiKey }) {
  const now = useNow()
  if (expiresAt === null) return 'Never'
  const isExpired = Date.parse(expiresAt) <= now
  return (
    <span className={isExpired ? 'bad' : undefined}>
      {isExpired && 'Expired '}
      <RelativeTime time={expiresAt} />
    </span>
  )
}
