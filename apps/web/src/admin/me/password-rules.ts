/** The station's rules for a password; it has the last word. */
export const passwordRules = [
  { id: 'length', isMet: (password: string) => /^.{8,}$/su.test(password) },
  { id: 'upper', isMet: (password: string) => /\p{Lu}/u.test(password) },
  { id: 'lower', isMet: (password: string) => /\p{Ll}/u.test(password) },
  { id: 'digit', isMet: (password: string) => /\p{Nd}/u.test(password) },
] as const

export type PasswordRule = (typeof passwordRules)[number]['id']

export const isStrong = (password: string): boolean => passwordRules.every(({ isMet }) => isMet(password))
