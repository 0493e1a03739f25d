import type { FindAnswer } from '@muster/contract/console-find.ts'
import type { MergePreview, Twins } from '@muster/contract/console-merges.ts'
import { queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'

/** Devices that may be the same machine. */
export const twinsQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'twins', id],
    queryFn: ({ signal }) => request<Twins>(`/views/devices/${id}/twins`, { signal }),
  })

export type MergePair = { readonly keptId: string; readonly otherId: string }

export const mergePreviewQuery = ({ keptId, otherId }: MergePair) =>
  queryOptions({
    queryKey: ['devices', 'merge', keptId, otherId],
    retry: false,
    queryFn: ({ signal }) =>
      request<MergePreview>(withQuery(`/views/devices/${keptId}/merge_preview`, { other_id: otherId }), { signal }),
  })

const shortest = 2

/** Other devices with a text in their name or serial. */
export const otherDevicesQuery = (id: string, text: string) =>
  queryOptions({
    queryKey: ['devices', 'others', id, text],
    enabled: text.length >= shortest,
    queryFn: async ({ signal }) => {
      const { data } = await request<FindAnswer>(withQuery('/views/find', { q: text }), { signal })
      return data.filter((found) => found.kind === 'device' && found.id !== id)
    },
  })
