import { computerTypes, noCompanionFor } from '@muster/contract/computer-types.ts'
import { useCompanionPlatforms } from '../components/companion-platforms.ts'
import { type ProviderName, providerOf } from './providers.tsx'

/** Which computers cannot pass at this caller, whoever has them; nothing where all can. */
export function ReachNote({ provider }: { provider: ProviderName }) {
  const made = useCompanionPlatforms()?.map(({ device_type: type }) => type)
  if (!made) return null
  const { title, asksOn = computerTypes } = providerOf(provider)
  const unmade = noCompanionFor(made, asksOn)
  if (unmade === undefined) return null
  const canAnyPass = asksOn.some((type) => made.includes(type))
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
