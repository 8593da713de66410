import { Failure } from '../core/failure.ts'

/** Letters, digits, signs and spaces; nothing invisible, nothing that turns the direction of writing. */
const LOGIN = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u

/** The form in which logins are compared: a name is taken once, whatever its case and Unicode form. */
export function loginKey(login: string): string {
  return login.normalize('NFKC').trim().toLowerCase()
}

/** A login as it is stored. @throws Failure BAD_REQUEST of `field` */
export function readLogin(text: string, field: string): { login: string; loginKey: string } {
  const login = text.normalize('NFC').trim()
  if (!LOGIN.test(login)) throw new Failure('BAD_REQUEST', { field, reason: 'login_invalid' })
  return { login, loginKey: loginKey(login) }
}

export function loginTaken(field: string): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'login_taken' })
}

/** At least 8 characters, with an upper-case and a lower-case letter and a digit. */
export function isStrongPassword(password: string): boolean {
  return [/^.{8,}$/su, /\p{Lu}/u, /\p{Ll}/u, /\p{Nd}/u].every((rule) => rule.test(password))
}

/** @throws Failure BAD_REQUEST of `field` */
export function refuseWeak(password: string, field: string): void {
  if (!isStrongPassword(password)) throw new Failure('BAD_REQUEST', { field, reason: 'password_weak' })
}
