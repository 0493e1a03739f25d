import { ListQuery, listForms } from '@muster/contract/pagination.ts'
import Type, { type TObject, type TSchema } from 'typebox'

export type Forms = { readonly format?: 'csv'; readonly count?: boolean }

type Formed = { operationId: string; hasCsv?: true; hasCount?: true; csv?: unknown; count?: unknown; options?: TObject }

/** What a list takes: its options, and the forms that the operation says it answers in. */
export function queryOf({ operationId, hasCsv, hasCount, csv, count, options }: Formed): TObject {
  const isWhole = (hasCsv ?? false) === (csv !== undefined) && (hasCount ?? false) === (count !== undefined)
  if (!isWhole) throw new Error(`${operationId} does not answer in the forms that it is declared with`)
  if (!hasCsv && !hasCount && !options) return ListQuery
  return Type.Object({
    ...ListQuery.properties,
    ...options?.properties,
    ...(hasCsv && { format: listForms.format }),
    ...(hasCount && { count: listForms.count }),
  })
}

/** What is answered instead of a page: one record, or an array of them. */
export function alternativeOf({
  record,
  one,
  bare,
}: {
  record: TSchema
  one?: unknown
  bare?: unknown
}): TSchema | undefined {
  if (bare) return Type.Union([record, Type.Array(record)])
  return one ? record : undefined
}
