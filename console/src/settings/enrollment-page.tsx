import { Button } from '@mantine/core'
import type { NewEnrollmentSecret } from '@muster/contract/console-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { FilterChip } from '../components/filter-chip.tsx'
import { ListBody } from '../components/list-body.tsx'
import { NewSecretDialog } from '../components/new-secret-dialog.tsx'
import { Emptiness } from '../components/notices.tsx'
import { given, readChoice, readText } from '../components/read-filters.ts'
import { Block } from '../components/section-frame.tsx'
import { EnrollmentSecretDialog } from './enrollment-secret-dialog.tsx'
import { EnrollmentSecretTable } from './enrollment-secret-table.tsx'
import { Packages } from './packages.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const route = getRouteApi('/shell/settings/enrollment')

export function EnrollmentPage() {
  return (
    <SettingsFrame
      title="Enrollment"
      lead={
        <>
          Packages contain everything a device needs to enroll. See the{' '}
          <Link className="underlined" to="/devices/enroll">
            enrollment guide
          </Link>
          .
        </>
      }
      isWide
    >
      <Packages />
      <EnrollmentSecrets />
    </SettingsFrame>
  )
}

const states = [
  { value: 'in_force', text: 'Active' },
  { value: 'ended', text: 'Expired or revoked' },
]

function EnrollmentSecrets() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const mayChange = useMay('manage_settings')
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<NewEnrollmentSecret | undefined>()
  const asked = { per_page: 25, state: filters.state, cursor: filters.after }
  const list = useQuery(query('listEnrollmentSecretViews', { query: asked }))
  const show = (search: typeof filters) => void navigate({ search })
  return (
    <Block
      title="Enrollment secrets"
      about="For agents installed by hand or by your MDM. Devices that enroll with a person’s secret are registered to that person."
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
        name="Enrollment secrets"
        filter={filters.state === undefined ? '' : filters.state === 'in_force' ? 'Active.' : 'Expired or revoked.'}
        noMatch="No secrets match."
        onClear={() => show({})}
        empty={<Emptiness title="No secrets yet." guide="osquery" />}
        after={filters.after}
        onNext={(after) => show({ ...filters, after: readText({ after }, 'after', 2_000) ?? '' })}
        isInset
      >
        {(rows) => <EnrollmentSecretTable rows={rows} mayChange={mayChange} onRotated={setMade} />}
      </ListBody>
      <EnrollmentSecretDialog
        isOpen={isMaking}
        onClose={() => setIsMaking(false)}
        onMade={(secret) => {
          setIsMaking(false)
          setMade(secret)
        }}
      />
      <NewSecretDialog
        title="Save this secret"
        label="Enrollment secret"
        secret={made?.secret}
        after="Agents send it when they enroll: put it in the file named by osquery’s --enroll_secret_path. It is not shown again."
        onClose={() => setMade(undefined)}
      />
    </Block>
  )
}
