/* The functions of C's math library that the core needs, for targets without a module of that library. */

#ifndef ANEROID_MATH_H
#define ANEROID_MATH_H

double pow(double base, double exponent);
double exp(double exponent);
double log(double value);
double sin(double angle);

#endif
