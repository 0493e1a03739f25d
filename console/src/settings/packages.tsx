import { Button } from '@mantine/core'
import type { Package } from '@muster/contract/packages.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import {
  agentWords,
  byKind,
  downloadPackage,
  installCommand,
  platformWords,
  processorOf,
} from '../enroll/install-commands.ts'
import { packagesQuery } from '../enroll/packages-query.ts'

/** All packages have the same problem where the address of the server is it. */
const sharedProblem = (packages: readonly Package[]): string | undefined => {
  const problems = new Set(packages.map(({ problem }) => problem))
  const [problem] = problems
  return problems.size === 1 && problem ? problem : undefined
}

const titleOf = (row: Package): string =>
  [`${agentWords[row.agent]} for ${platformWords[row.platform]}`, ...processorOf(row), `.${row.format}`].join(', ')

/** A problem is read to its end: it says what to run. */
const PackageName = ({ row, problem }: { row: Package; problem: string | null }) => (
  <td className={problem === null ? 'c-name' : 'c-name wrap'}>
    <span className="medium ellipsis">{titleOf(row)}</span>
    {problem === null ? (
      <span className="second ellipsis" title={row.problem ?? row.file_name}>
        <code>{row.file_name}</code>
      </span>
    ) : (
      <span className="second bad">{problem}</span>
    )}
  </td>
)

export function Packages() {
  const packages = useQuery(packagesQuery)
  const mayChange = useMay('manage_settings')
  const [rebuilt, setRebuilt] = useState<Package | undefined>()
  const rebuild = useAction({
    act: ({ id }: Package) => api('rebuildPackage', { params: { id } }),
    refresh: ['settings'],
    said: ({ file_name: name }) => `${name} has a new secret`,
    onDone: () => setRebuilt(undefined),
  })
  const fetchFile = useAction({
    act: downloadPackage,
    said: (_, { file_name: name }) => `${name} downloaded; it contains an enrollment secret`,
  })
  const shared = sharedProblem(packages.data?.data ?? [])
  return (
    <Block title="Packages" about="Anyone with a package can enroll a machine. Store packages like passwords.">
      {shared !== undefined && <p className="note will">{shared}</p>}
      <ListBody
        list={packages}
        rows={byKind(packages.data?.data ?? [])}
        name="Packages"
        empty={
          <Emptiness title="No packages yet." guide="packages">
            A start of the server makes them; <code>muster packages build</code> does it now.
          </Emptiness>
        }
        isInset
      >
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Package</th>
                <th className="package-command">On the machine</th>
                <th className="package-actions">
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id} className="tall">
                  <PackageName row={row} problem={shared === undefined ? row.problem : null} />
                  <td className="c-more">
                    <span className="row">
                      <code className="secondary ellipsis" title={installCommand(row)}>
                        {installCommand(row)}
                      </code>
                      <CopyButton text={installCommand(row)} label={`the command for ${titleOf(row)}`} />
                    </span>
                  </td>
                  <td className="c-sub">
                    <span className="actions-cell">
                      {mayChange && (
                        <Button aria-label={`Replace secret of ${titleOf(row)}…`} onClick={() => setRebuilt(row)}>
                          Replace secret…
                        </Button>
                      )}
                      {mayChange && (
                        <Button
                          leftSection={<Icon name="download" size={14} />}
                          aria-label={`Download ${titleOf(row)}`}
                          loading={fetchFile.isPending && fetchFile.variables.id === row.id}
                          onClick={() => fetchFile.mutate(row)}
                        >
                          Download
                        </Button>
                      )}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </>
        )}
      </ListBody>
      <ConfirmDialog
        isOpen={rebuilt !== undefined}
        onClose={() => setRebuilt(undefined)}
        question={`Replace the secret of ${rebuilt ? titleOf(rebuilt) : 'the package'}?`}
        consequences={['Earlier downloads stop working. Distribute the new file.']}
        stays="Enrolled machines stay enrolled."
        verb="Rebuild package"
        onConfirm={() => rebuilt && rebuild.mutate(rebuilt)}
        isBusy={rebuild.isPending}
      />
    </Block>
  )
}
