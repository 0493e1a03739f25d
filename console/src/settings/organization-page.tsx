import { Button, TextInput } from '@mantine/core'
import type { SettingFacts } from '@muster/contract/console-settings.ts'
import { features } from '@muster/contract/features.ts'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { Mark } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { AddressBlock } from './address-block.tsx'
import { SettingsFrame } from './settings-frame.tsx'

export function OrganizationPage() {
  const facts = useQuery(settingFactsQuery)
  return (
    <SettingsFrame title="Organization">
      {facts.isError && (
        <Failure
          what="The organization could not be loaded."
          error={facts.error}
          onRetry={() => void facts.refetch()}
        />
      )}
      {facts.isPending && <SkeletonRows rows={4} />}
      {facts.data && <Loaded facts={facts.data} />}
    </SettingsFrame>
  )
}

function Loaded({ facts }: { facts: SettingFacts }) {
  const { organization, counts } = facts
  const devices = counts.registered + counts.unregistered
  return (
    <>
      <NameBlock name={organization.name} />
      {facts.own_base_url !== null && <AddressBlock own={facts.own_base_url} old={facts.old_base_urls} />}
      <Block title="Facts">
        <dl className="facts-table">
          <dt>Identifier</dt>
          <dd>
            {organization.id} <CopyButton text={organization.id} label="the identifier" />
          </dd>
          <dt>Address of this server</dt>
          <dd>
            <code>{facts.base_url}</code> <CopyButton text={facts.base_url} label="the address" />
          </dd>
          <dt>Since</dt>
          <dd>{fullTime(organization.created_at)}</dd>
          <dt>Devices</dt>
          <dd className="tabular">{devices.toLocaleString('en')}</dd>
          <dt>People</dt>
          <dd className="tabular">{counts.people.toLocaleString('en')}</dd>
          <dt>Checks</dt>
          <dd className="tabular">{counts.checks.toLocaleString('en')}</dd>
          <dt>Administrators</dt>
          <dd className="tabular">{counts.administrators.toLocaleString('en')}</dd>
        </dl>
      </Block>
      <Block
        title="Features"
        about={
          <>
            Set by the server operator: <code>muster organizations set-feature</code>.
          </>
        }
      >
        <ul className="lines">
          {facts.features.map(({ name, is_on: isOn }) => (
            <li key={name} className="line">
              <Mark name={isOn ? 'tick' : 'dash'} />
              <span className="medium feature-name">{features[name].title}</span>
              <span className="secondary grow wrap">{features[name].description}</span>
              <span className="secondary">{isOn ? 'On' : 'Off'}</span>
            </li>
          ))}
        </ul>
      </Block>
    </>
  )
}

function NameBlock({ name }: { name: string }) {
  const mayRename = useMay('manage_settings')
  const rename = useAction({
    act: (wanted: string) => api('renameOrganization', { body: { name: wanted } }),
    refresh: ['getSettingFacts', 'session'],
    said: (_, wanted) => `Organization renamed to ${visibleText(wanted)}`,
    undo: () => ({ label: 'Undo', run: () => rename.mutate(name) }),
    hasForm: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wanted = String(new FormData(event.currentTarget).get('name')).trim()
    if (wanted !== name) rename.mutate(wanted)
  }
  const about = 'Shown to device owners and other administrators.'
  if (!mayRename) return <Block title="Name" about={`${visibleText(name)}. ${about}`} />
  return (
    <Block title="Name" about={about}>
      <form onSubmit={submit} key={name}>
        <div className="settings-name">
          <TextInput
            name="name"
            aria-label="Name of the organization"
            defaultValue={name}
            maxLength={200}
            required
            error={rename.faultOf('name') !== undefined}
          />
          <Button type="submit" variant="filled" loading={rename.isPending}>
            Save the name
          </Button>
        </div>
        <FormFault error={rename.faultOf('name') && `The name ${rename.faultOf('name')}`} />
        <FormFault error={rename.faultBeside} />
      </form>
    </Block>
  )
}
