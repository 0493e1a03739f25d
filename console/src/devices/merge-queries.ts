import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

/** Devices that may be the same machine. */
export const twinsQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'twins', id],
    queryFn: ({ signal }) => api('listTwinsOfDevice', { params: { deviceId: id }, signal }),
  })

export type MergePair = { readonly keptId: string; readonly otherId: string }

export const mergePreviewQuery = ({ keptId, otherId }: MergePair) =>
  queryOptions({
    queryKey: ['devices', 'merge', keptId, otherId],
    retry: false,
    queryFn: ({ signal }) =>
      api('previewDeviceMerge', { params: { deviceId: keptId }, query: { other_id: otherId }, signal }),
  })

const shortest = 2

/** Other devices with a text in their name or serial. */
export const otherDevicesQuery = (id: string, text: string) =>
  queryOptions({
    queryKey: ['devices', 'others', id, text],
    enabled: text.length >= shortest,
    queryFn: async ({ signal }) => {
      const { data } = await api('findByName', { query: { q: text }, signal })
      return data.filter((found) => found.kind === 'device' && found.id !== id)
    },
  })
