import type { AuditSubjectKind } from '@muster/contract/audit-subjects.ts'

/** The records that an entry is about, by kind: one, several or none. They may be gone by the time it is read. */
export type Subjects = { readonly [Kind in AuditSubjectKind]?: string | readonly string[] | null | undefined }

/** As an entry keeps them: `device:1042`. */
export const subjectKeys = (subjects: Subjects): string[] =>
  Object.entries(subjects).flatMap(([kind, ids]) => [ids ?? []].flat().map((id) => `${kind}:${id}`))
