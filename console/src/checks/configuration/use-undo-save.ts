import type { CheckConfiguration } from '@muster/contract/check-configurations.ts'
import type { CheckFacts, ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { useAction } from '../../components/use-action.ts'
import { visibleText } from '../../components/visible-text.ts'
import { changeOf, type Definitions, type Draft } from './draft.ts'

type Undo = { readonly saved: CheckConfiguration; readonly before: Draft }

const devices = (count: number): string => (count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`)

function refusalOf({ held, hit }: ConfigurationPreview): string | undefined {
  if (held) return `hold the blocks of ${devices(held.devices)}`
  return hit === 0 ? undefined : `block ${devices(hit)}`
}

/** Restores what was before a save. Where that blocks devices, nothing is saved: the page shows whom first. */
export function useUndoSave(facts: CheckFacts, definitions: Definitions) {
  const navigate = useNavigate()
  const params = { checkId: facts.id }
  return useAction({
    act: async ({ saved, before }: Undo) => {
      const change = changeOf(saved, before, definitions)
      const preview = await api('previewCheckConfiguration', { params, body: change })
      const refusal = refusalOf(preview)
      if (refusal === undefined)
        await api('savePreviewedCheckConfiguration', { params, body: { ...change, preview: preview.token } })
      return refusal
    },
    refresh: ['checks', 'devices', 'issues'],
    said: (refusal) =>
      refusal === undefined
        ? `Restored “${visibleText(facts.name)}”`
        : `Not undone: that would ${refusal}. Review the preview and save.`,
    onDone: (refusal) => {
      if (refusal !== undefined) void navigate({ to: '/checks/$checkId/configuration', params: { checkId: facts.id } })
    },
  })
}
