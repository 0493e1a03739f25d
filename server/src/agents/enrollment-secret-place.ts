export const enrollmentSecretPurpose = 'enrollment secret'

/** What binds a sealed enrolment secret to its record. */
export const enrollmentSecretPlace = (organizationId: string, id: string): readonly string[] => [
  organizationId,
  id,
  enrollmentSecretPurpose,
]
