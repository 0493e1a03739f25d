import { Button } from '@mantine/core'
import type { NewEnrolmentSecret } from '@muster/contract/console-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../api/session.ts'
import { FilterChip } from '../components/filter-chip.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { given, readChoice, readText } from '../components/read-filters.ts'
import { Block } from '../components/section-frame.tsx'
import { EnrolmentSecretDialog } from './enrolment-secret-dialog.tsx'
import { EnrolmentSecretTable } from './enrolment-secret-table.tsx'
import { NewSecretDialog } from './new-secret-dialog.tsx'
import { Packages } from './packages.tsx'
import { enrolmentSecretsQuery } from './setting-queries.ts'
import { SettingsFrame } from './settings-frame.tsx'

const route = getRouteApi('/shell/settings/enrolment')

export function EnrolmentPage() {
  return (
    <SettingsFrame
      title="Enrolment"
      lead={
        <>
          How machines get in. Packages carry all that is needed;{' '}
          <Link className="u" to="/devices/enrol">
            step by step
          </Link>
          .
        </>
      }
      isWide
    >
      <Packages />
      <EnrolmentSecrets />
    </SettingsFrame>
  )
}

const states = [
  { value: 'in_force', text: 'In force' },
  { value: 'ended', text: 'Expired or revoked' },
]

function EnrolmentSecrets() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const mayChange = useMay('manage_settings')
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<NewEnrolmentSecret | undefined>()
  const list = useQuery(enrolmentSecretsQuery(filters))
  const show = (search: typeof filters) => void navigate({ search })
  return (
    <Block
      title="Enrolment secrets"
      about="For agents that are set up by hand or by your MDM. A secret of a person’s registers what enrols with it to them."
      action={mayChange && <Button onClick={() => setIsMaking(true)}>New secret…</Button>}
    >
      <search className="filterbar inset">
        <FilterChip
          field="State"
          isSingle
          options={states}
          chosen={filters.state ? [filters.state] : []}
          onChange={([state]) => show(given({ state: readChoice({ state }, 'state', ['in_force', 'ended'] as const) }))}
        />
      </search>
      <ListBody
        list={list}
        name="Enrolment secrets"
        filter={filters.state === undefined ? '' : filters.state === 'in_force' ? 'In force.' : 'Expired or revoked.'}
        noMatch="No secret matches."
        onClear={() => show({})}
        empty={<Emptiness title="No secret yet." />}
        after={filters.after}
        onNext={(after) => show({ ...filters, after: readText({ after }, 'after', 2_000) ?? '' })}
        isInset
      >
        {(rows) => <EnrolmentSecretTable rows={rows} mayChange={mayChange} onRotated={setMade} />}
      </ListBody>
      <EnrolmentSecretDialog
        isOpen={isMaking}
        onClose={() => setIsMaking(false)}
        onMade={(secret) => {
          setIsMaking(false)
          setMade(secret)
        }}
      />
      <NewSecretDialog
        title="Keep this secret"
        label="Enrolment secret"
        secret={made?.secret}
        after="Agents send it when they enrol: put it into the file that osquery’s --enroll_secret_path names. It is not shown again."
        onClose={() => setMade(undefined)}
      />
    </Block>
  )
}
