import { Button, Modal } from '@mantine/core'
import type { OwnerRulePreview } from '@muster/contract/owner-lists.ts'
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { queryKeyOf } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { devicesInWords } from '../components/devices-in-words.ts'
import { FormFault } from '../components/form-fault.tsx'
import { GuideLink } from '../components/guide-link.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { visibleText } from '../components/visible-text.ts'
import { useSettings } from './use-settings.ts'

const ruleQuery = infiniteQueryOptions({
  queryKey: queryKeyOf('previewOwnerRule', {}),
  staleTime: 0,
  gcTime: 0,
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam, signal }) =>
    api('previewOwnerRule', { query: pageParam === undefined ? {} : { after: pageParam }, signal }),
  getNextPageParam: ({ after }: OwnerRulePreview) => after ?? undefined,
})

/** Owners by the account that is logged in; whom it would give which device is shown before it is turned on. */
export function OwnerRule({ isOn }: { readonly isOn: boolean }) {
  const mayManage = useMay('manage_settings')
  const [isAsking, setIsAsking] = useState(false)
  const stop = useSettings('Owners are no longer assigned by account', () => {})
  return (
    <Block
      title="Assign owners by account"
      about="A device that never had an owner is registered to the person whose account is logged in on it, if that is exactly one person. Accounts are compared with the user names that come by SCIM."
    >
      <p className="row between">
        <span>
          <b className="medium">{isOn ? 'On' : 'Off'}</b>
          <span className="secondary">
            {isOn ? ': it looks every five minutes.' : ': devices get no owner by themselves.'}
          </span>{' '}
          <GuideLink name="owners">Learn more</GuideLink>
        </span>
        {mayManage &&
          (isOn ? (
            <Button onClick={() => stop.mutate({ is_owner_by_account: false })} loading={stop.isPending}>
              Turn off
            </Button>
          ) : (
            <Button onClick={() => setIsAsking(true)}>Preview and turn on…</Button>
          ))}
      </p>
      <FormFault error={stop.faultBeside} />
      {isAsking && <Ask onClose={() => setIsAsking(false)} />}
    </Block>
  )
}

function Ask({ onClose }: { readonly onClose: () => void }) {
  const preview = useInfiniteQuery(ruleQuery)
  const save = useSettings('Owners are assigned by account; devices get theirs within five minutes', onClose)
  const pages = preview.data?.pages ?? []
  const owners = pages.flatMap((page) => page.owners)
  const never = pages[0]?.never_owned_count ?? 0
  return (
    <Modal opened onClose={onClose} title="Assign owners by account?" withCloseButton={false} size="lg">
      <div className="confirm">
        <LoadFailure what="The preview" query={preview} />
        {preview.data && <p role="status">{outcomeOf(never, owners.length, preview.hasNextPage)}</p>}
        {owners.length > 0 && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <ul className="refusals" tabIndex={0} aria-label="Devices and their owners">
            {owners.map(({ device_id: id, device_name: name, account, person }) => (
              <li key={id} className="line">
                <span className="grow">
                  <Link className="underlined" to="/devices/$deviceId" params={{ deviceId: id }}>
                    {visibleText(name)}
                  </Link>
                  <span className="block small secondary">
                    {visibleText(person.name)} ({visibleText(person.email)}), account {visibleText(account)}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        )}
        {preview.hasNextPage && (
          <Button onClick={() => void preview.fetchNextPage()} loading={preview.isFetchingNextPage}>
            Show more
          </Button>
        )}
        <p className="secondary small">
          Devices report the names of their accounts themselves. Turn this on only if you trust everyone who can enroll
          a device.
        </p>
        <FormFault error={save.faultBeside} />
        <div className="dialog-ends">
          <Button onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            variant="filled"
            disabled={!preview.data}
            loading={save.isPending}
            onClick={() => save.mutate({ is_owner_by_account: true })}
          >
            Turn on
          </Button>
        </div>
      </div>
    </Modal>
  )
}

function outcomeOf(never: number, found: number, isMore: boolean): string {
  if (never === 0) return 'Every device has an owner, or had one. The rule acts on devices that enroll without one.'
  const of = `Of ${devicesInWords(never)} that never had an owner, `
  if (found === 0 && !isMore) return `${of}none gets one now. Devices that report later can.`
  return `${of}${isMore ? 'at least ' : ''}${found.toLocaleString('en')} ${found === 1 ? 'gets' : 'get'} one now:`
}
