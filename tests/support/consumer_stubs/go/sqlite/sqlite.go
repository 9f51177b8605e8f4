// Package sqlite is imported for its driver alone.
package sqlite
