import type { BlockReceivers } from '@muster/contract/block-receivers.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'

const countOf = (count: number, what: string) =>
  count > 0 && (count === 1 ? `1 ${what}` : `${count.toLocaleString('en')} ${what}s`)

/** "2 streams and 1 webhook (1 failing)"; undefined for none. */
export function listenersInWords({ streams, webhooks, failing }: BlockReceivers): string | undefined {
  const counts = [countOf(streams, 'stream'), countOf(webhooks, 'webhook')].filter((text) => text !== false)
  if (counts.length === 0) return undefined
  const words = counts.join(' and ')
  if (failing === 0) return words
  return failing === streams + webhooks ? `${words} (failing)` : `${words} (${failing} failing)`
}

export const isConnected = ({ connections, streams, webhooks }: BlockReceivers): boolean =>
  connections + streams + webhooks > 0

/** A block that reaches nothing keeps nobody from signing in, and whoever reads of one has to know. */
export function NothingConnected() {
  const mayConnect = useMay('manage_sign_in')
  const mayStream = useMay('manage_ssf_streams')
  return (
    <>
      Nothing is connected: sign-in is not affected yet.{' '}
      {(mayConnect || mayStream) && (
        <>
          <Link className="underlined" to={mayConnect ? '/connections' : '/settings/developers/streams'}>
            Connect your sign-in
          </Link>
          .
        </>
      )}
    </>
  )
}

/** What follows for sign-in where a device is blocked, or will be: by what is connected. */
export function BlockEffect({ owner, isBlocked }: { readonly owner: string; readonly isBlocked: boolean }) {
  const { data, isError } = useQuery(query('getBlockReceivers'))
  if (isError && !data) return <span role="alert">What a block reaches could not be loaded.</span>
  if (!data) return null
  if (!isConnected(data)) return <NothingConnected />
  const listeners = listenersInWords(data)
  if (data.connections > 0) {
    return isBlocked
      ? `${owner} cannot sign in with it through Muster.`
      : `${owner} then cannot sign in with it through Muster.`
  }
  const hear = data.streams + data.webhooks === 1 ? 'hears' : 'hear'
  return isBlocked ? `${listeners} ${hear} of it.` : `${listeners} will hear of it.`
}
