import { computerTypes } from '@muster/contract/computer-types.ts'
import { useQuery } from '@tanstack/react-query'
import { companionPlatformsQuery, noneHereFor } from '../components/companion-platforms.ts'
import { LoadFailure } from '../components/notices.tsx'
import { type ProviderName, providerOf } from './providers.tsx'

/** Which computers cannot pass at this caller, whoever has them; nothing where all can. */
export function ReachNote({ provider }: { provider: ProviderName }) {
  const read = useQuery(companionPlatformsQuery)
  if (!read.data) return <LoadFailure what="Which computers can pass" query={read} />
  const made = read.data.data.map(({ device_type: type }) => type)
  const { title, asksOn = computerTypes } = providerOf(provider)
  const lacking = asksOn.filter((type) => !made.includes(type))
  if (lacking.length === 0) return null
  const unmade = noneHereFor(lacking)
  const canAnyPass = lacking.length < asksOn.length
  return (
    <p className="note will">
      <span>
        {canAnyPass
          ? `${unmade}: once this connection enforces, people who have nothing else are refused.`
          : `${unmade}, and ${title} asks on no other computers: no laptop can pass through this connection today.`}
      </span>
    </p>
  )
}
