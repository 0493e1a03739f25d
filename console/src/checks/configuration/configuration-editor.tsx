import type { CheckConfiguration } from '@muster/contract/check-configurations.ts'
import type { CheckFacts } from '@muster/contract/console-checks.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import { query, refresh } from '../../api/query.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { fieldFaults } from '../../components/field-faults.ts'
import { isWide } from '../../components/is-wide.ts'
import { LeaveGuard } from '../../components/leave-guard.tsx'
import { useAction } from '../../components/use-action.ts'
import { useDebounced } from '../../components/use-debounced.ts'
import { visibleText } from '../../components/visible-text.ts'
import { TagEditor } from '../tag-editor.tsx'
import { ConfigurationForm } from './configuration-form.tsx'
import { ConfigurationSaveBar } from './configuration-save-bar.tsx'
import { type Change, changeOf, countOf, type Definitions, type Draft, draftOf, faultsOf, rebase } from './draft.ts'
import { exportBlocked } from './export-blocked.ts'
import { PreviewPanel } from './preview-panel.tsx'
import { consequencesOf, staysOf, verbOf } from './preview-words.ts'
import { useUndoSave } from './use-undo-save.ts'

type Parts = {
  readonly facts: CheckFacts
  readonly saved: CheckConfiguration
  readonly definitions: Definitions
  readonly begin: Draft
}

const previewQuery = (saved: CheckConfiguration, change: Change, most: number, isReady: boolean) =>
  query(
    'previewCheckConfiguration',
    { params: { checkId: saved.check_id }, body: { ...change, most } },
    { apart: saved.revision, enabled: isReady, pace: 'slow', placeholderData: keepPreviousData, staleTime: 0 },
  )

const isBlocking = ({ strategy, paused }: Draft): boolean =>
  !paused && (strategy === 'warn_then_block' || strategy === 'block_immediately')

export function ConfigurationEditor({ facts, saved, definitions, begin: first }: Parts) {
  const before = useMemo(() => draftOf(saved, definitions), [saved, definitions])
  const [base, setBase] = useState(before)
  const [draft, setDraft] = useState<Draft>(first)
  const [others, setOthers] = useState<readonly string[]>([])
  if (JSON.stringify(base) !== JSON.stringify(before)) {
    // What was saved meanwhile, here or by someone else; what was typed stays.
    const { draft: kept, others: found } = rebase(draft, base, before)
    setBase(before)
    setDraft(kept)
    setOthers(found)
  }
  const [most, setMost] = useState(50)
  const [isAsking, setIsAsking] = useState(false)
  /** A preview from before is not the one that is waited for. */
  const [lookedAgainAt, setLookedAgainAt] = useState(0)
  const change = changeOf(saved, draft, definitions)
  const changes = countOf(change)
  const faults = faultsOf(draft)
  const isReady = Object.keys(faults).length === 0
  const asked = useDebounced(change, 300)
  const preview = useQuery(previewQuery(saved, asked, most, isReady))
  const isOld =
    preview.isPlaceholderData ||
    preview.dataUpdatedAt < lookedAgainAt ||
    JSON.stringify(asked) !== JSON.stringify(change) ||
    !isReady
  const current = isOld ? undefined : preview.data
  const undo = useUndoSave(facts, definitions)
  const save = useAction({
    act: () =>
      api('savePreviewedCheckConfiguration', {
        params: { checkId: facts.id },
        body: { ...change, preview: current?.token ?? '' },
      }),
    refresh: ['checks', 'devices', 'issues'],
    hasForm: true,
    said: () => `Saved “${visibleText(facts.name)}”`,
    undo: (answer) => ({ label: 'Undo', run: () => undo.mutate({ saved: answer, before }) }),
    onDone: () => setIsAsking(false),
  })
  const { faultIn: previewFaultIn } = fieldFaults(preview.error)
  const faultUnder = (path: string): string | undefined =>
    save.faultIn(path, faults[path] ?? previewFaultIn(`change/${path}`) ?? previewFaultIn(path))
  const isOutdated = save.error instanceof ApiError && save.error.code === 'preview_outdated'
  const verb = verbOf(current, draft, changes)
  const set = (part: Partial<Draft>) => {
    save.reset()
    setDraft({ ...draft, ...part })
  }
  const begin = () => (current && current.hit > 0 ? setIsAsking(true) : save.mutate())
  const lookAgain = () => {
    setLookedAgainAt(Date.now())
    save.reset()
    setIsAsking(false)
    void refresh('getCheckConfiguration', 'getCheckConfigurationAt')
    void preview.refetch()
  }
  const exportAll = async () => {
    const body = { ...change, most: 1_000 }
    exportBlocked(await api('previewCheckConfiguration', { params: { checkId: facts.id }, body }), facts.slug)
  }
  return (
    <>
      <div className="editor-columns">
        <div>
          <ConfigurationForm
            draft={draft}
            saved={before}
            definitions={definitions}
            preview={preview.data}
            faultUnder={faultUnder}
            onChange={set}
          />
          <TagEditor facts={facts} />
        </div>
        <PreviewPanel
          preview={preview.data}
          error={preview.error}
          isOld={isOld && preview.data !== undefined}
          isChanged={changes > 0}
          isBlocking={isBlocking(draft)}
          onRetry={() => void preview.refetch()}
          onAll={() => setMost(1_000)}
          onExport={() => void exportAll()}
        />
      </div>
      {changes > 0 && (
        <ConfigurationSaveBar
          changed={current?.changed ?? []}
          changes={changes}
          saved={before}
          draft={draft}
          preview={current}
          verb={verb}
          others={others}
          fault={isAsking ? undefined : save.faultBeside}
          isOutdated={isOutdated && !isAsking}
          isBusy={save.isPending}
          onLookAgain={lookAgain}
          onDiscard={() => {
            save.reset()
            setDraft(before)
            setOthers([])
          }}
          onSave={begin}
        />
      )}
      {current && (
        <ConfirmDialog
          isOpen={isAsking}
          onClose={isOutdated ? lookAgain : () => setIsAsking(false)}
          question={`${verb}?`}
          consequences={consequencesOf(current)}
          stays={staysOf(current)}
          verb={verb}
          {...(isWide(current.hit, current.all_devices) && { typed: String(current.hit) })}
          onConfirm={() => save.mutate()}
          isBusy={save.isPending}
          fault={save.faultBeside}
        />
      )}
      <LeaveGuard isDirty={changes > 0 && !save.isPending && !save.isSuccess} />
    </>
  )
}
